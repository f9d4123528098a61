/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Publishing to a topic as fast as one thread can.
 */
#define _POSIX_C_SOURCE 200809L

#include "client.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define POLL_MS 100
#define FLUSH_TIMEOUT_MS 60000
#define RECORDS_PER_POLL 1024

/* Only failures are reported. */
static void on_delivery(rd_kafka_t *client, const rd_kafka_message_t *message, void *opaque)
{
    (void)client, (void)opaque;
    check_message(message);
}

static void offer(rd_kafka_t *client, rd_kafka_topic_t *topic, uint64_t *key, void *value, size_t length)
{
    while (0 != rd_kafka_produce(topic, RD_KAFKA_PARTITION_UA, RD_KAFKA_MSG_F_COPY, value, length, key,
        NULL == key ? 0 : sizeof(*key), NULL))
    {
        const int err = rd_kafka_last_error();
        if (RD_KAFKA_RESP_ERR__QUEUE_FULL != err)
        {
            fail("produce", rd_kafka_err2str(err));
        }
        rd_kafka_poll(client, POLL_MS);
    }
}

void publish(const settings_t *settings, char *length_and_keys, FILE *answers)
{
    static rd_kafka_t *client;
    static rd_kafka_topic_t *topic;
    static uint64_t number;
    char *end;
    const size_t length = strtoul(length_and_keys, &end, 10);
    const int has_keys = 0 != strtol(end, NULL, 10);
    char *value = length < sizeof(number) ? NULL : calloc(1, length);
    if (NULL == value)
    {
        fail(length_and_keys, "is no length of a value");
    }
    if (NULL == client)
    {
        client = client_open_producer(settings, on_delivery);
        topic = rd_kafka_topic_new(client, settings->topic, NULL);
    }
    const usage_t before = usage_now();
    for (uint64_t i = 0; i < settings->records; i++, number++)
    {
        memcpy(value, &number, sizeof(number));
        offer(client, topic, has_keys ? &number : NULL, value, length);
        if (0 == i % RECORDS_PER_POLL)
        {
            rd_kafka_poll(client, 0);
        }
    }
    const int err = rd_kafka_flush(client, FLUSH_TIMEOUT_MS);
    if (RD_KAFKA_RESP_ERR_NO_ERROR != err)
    {
        fail("flush", rd_kafka_err2str(err));
    }
    const usage_t after = usage_now();
    free(value);
    fprintf(answers, "{\"records\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"wallNs\":%" PRId64 ",\"threadCpuNs\":%" PRId64
        ",\"processCpuNs\":%" PRId64 "}\n", settings->records, settings->records * length,
        after.wall_ns - before.wall_ns, after.thread_cpu_ns - before.thread_cpu_ns,
        after.process_cpu_ns - before.process_cpu_ns);
}
