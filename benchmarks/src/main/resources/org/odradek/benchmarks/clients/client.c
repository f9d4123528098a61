/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The client that librdkafka gives.
 */
#define _POSIX_C_SOURCE 200809L

#include "client.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FETCH_API_KEY 1
#define ERROR_LENGTH 512
#define NAME_LENGTH 128
/* Half of the limit that all clients of a live topic have. */
#define HELD_FETCH_BYTES "fetch.min.bytes=524288"

static atomic_int_fast64_t fetches_sent;

void fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

usage_t usage_now(void)
{
    const usage_t usage =
    {
        .wall_ns = clock_ns(CLOCK_MONOTONIC),
        .thread_cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID),
        .process_cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID),
        .fetches = atomic_load_explicit(&fetches_sent, memory_order_relaxed)
    };
    return usage;
}

/* Called by librdkafka's threads. */
static int on_request_sent(
    rd_kafka_t *client, int socket, const char *broker, int32_t broker_id, int16_t api_key, int16_t api_version,
    int32_t correlation_id, size_t length, void *opaque)
{
    (void)client, (void)socket, (void)broker, (void)broker_id, (void)api_version;
    (void)correlation_id, (void)length, (void)opaque;
    if (FETCH_API_KEY == api_key)
    {
        atomic_fetch_add_explicit(&fetches_sent, 1, memory_order_relaxed);
    }
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

static int on_new(rd_kafka_t *client, const rd_kafka_conf_t *conf, void *opaque, char *error, size_t error_length)
{
    (void)conf, (void)error, (void)error_length;
    return rd_kafka_interceptor_add_on_request_sent(client, "count fetches", on_request_sent, opaque);
}

static void set(rd_kafka_conf_t *conf, const char *name_value)
{
    char error[ERROR_LENGTH];
    char name[NAME_LENGTH];
    const size_t length = strcspn(name_value, "=");
    if (length >= sizeof(name) || '=' != name_value[length])
    {
        fail(name_value, "is no NAME=VALUE");
    }
    memcpy(name, name_value, length);
    name[length] = '\0';
    if (RD_KAFKA_CONF_OK != rd_kafka_conf_set(conf, name, name_value + length + 1, error, sizeof(error)))
    {
        fail(name, error);
    }
}

static rd_kafka_conf_t *conf_of(const settings_t *settings)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    for (int i = 0; i < settings->name_count; i++)
    {
        set(conf, settings->names[i]);
    }
    return conf;
}

static rd_kafka_t *client_new(int type, rd_kafka_conf_t *conf)
{
    char error[ERROR_LENGTH];
    rd_kafka_t *client = rd_kafka_new(type, conf, error, sizeof(error));
    if (NULL == client)
    {
        fail("librdkafka", error);
    }
    return client;
}

rd_kafka_t *client_open_producer(const settings_t *settings, rd_kafka_on_delivery *on_delivery)
{
    rd_kafka_conf_t *conf = conf_of(settings);
    rd_kafka_conf_set_dr_msg_cb(conf, on_delivery);
    return client_new(RD_KAFKA_PRODUCER, conf);
}

rd_kafka_t *client_open(const settings_t *settings)
{
    rd_kafka_conf_t *conf = conf_of(settings);
    if (0 != settings->budget_ms)
    {
        char max_wait[NAME_LENGTH];
        snprintf(max_wait, sizeof(max_wait), "fetch.wait.max.ms=%ld", settings->budget_ms);
        set(conf, max_wait);
        set(conf, HELD_FETCH_BYTES);
    }
    if (RD_KAFKA_RESP_ERR_NO_ERROR != rd_kafka_conf_interceptor_add_on_new(conf, "count fetches", on_new, NULL))
    {
        fail("fetches", "cannot be counted");
    }
    rd_kafka_t *client = client_new(RD_KAFKA_CONSUMER, conf);
    rd_kafka_poll_set_consumer(client);
    return client;
}

void client_assign(rd_kafka_t *client, const settings_t *settings, const int64_t *offsets)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(settings->partitions);
    for (int32_t partition = 0; partition < settings->partitions; partition++)
    {
        rd_kafka_topic_partition_list_add(list, settings->topic, partition);
        rd_kafka_topic_partition_list_set_offset(list, settings->topic, partition, offsets[partition]);
    }
    const int err = rd_kafka_assign(client, list);
    rd_kafka_topic_partition_list_destroy(list);
    if (RD_KAFKA_RESP_ERR_NO_ERROR != err)
    {
        fail("assign", rd_kafka_err2str(err));
    }
}

void client_unassign(rd_kafka_t *client)
{
    rd_kafka_assign(client, NULL);
}

void check_message(const rd_kafka_message_t *message)
{
    if (RD_KAFKA_RESP_ERR_NO_ERROR != message->err)
    {
        fail("record", rd_kafka_err2str(message->err));
    }
}
