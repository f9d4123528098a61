/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 *
 * librdkafka as a client under measurement. It connects to a port of its parent on the loopback, or stays with standard
 * input and output if that is 0, is told there what to do by one word a line, and answers each by one JSON object a
 * line:
 *
 *   version   which librdkafka this is
 *   pass      read every record of the topic from its first on, rest, and say what was read and what that cost
 *
 * It ends with that connection. Trouble is said on standard error and ends it with exit code 1.
 */
#define _POSIX_C_SOURCE 200809L

#include "rdkafka_abi.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BATCH_SIZE 1000
#define POLL_TIMEOUT_MS 1000
#define EMPTY_POLLS_LIMIT 30
#define FETCH_API_KEY 1
#define ERROR_LENGTH 512
#define COMMAND_LENGTH 64

/* The three places of a value that every client adds up; they must be those of the other clients. */
#define FIRST 0
#define SECOND 8
#define THIRD 15
#define SMALLEST_VALUE (THIRD + sizeof(uint64_t))

typedef struct settings_s
{
    const char *topic;
    int partitions;
    uint64_t records;
    long rest_ms;
} settings_t;

typedef struct tally_s
{
    uint64_t records;
    uint64_t bytes;
    uint64_t sum;
} tally_t;

typedef struct usage_s
{
    int64_t wall_ns;
    int64_t thread_cpu_ns;
    int64_t process_cpu_ns;
    int64_t fetches;
} usage_t;

static atomic_int_fast64_t fetches_sent;

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static int connect_to_parent(const char *port)
{
    const struct sockaddr_in address =
    {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)strtol(port, NULL, 10)),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)
    };
    const int parent = socket(AF_INET, SOCK_STREAM, 0);
    if (parent < 0 || 0 != connect(parent, (const struct sockaddr *)&address, sizeof(address)))
    {
        fail("parent", "nobody listens on its port");
    }
    return parent;
}

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static usage_t usage_now(void)
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

static rd_kafka_t *open_client(char **name_values, int count)
{
    char error[ERROR_LENGTH];
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    for (int i = 0; i < count; i++)
    {
        char *value = strchr(name_values[i], '=');
        if (NULL == value)
        {
            fail(name_values[i], "is no NAME=VALUE");
        }
        *value++ = '\0';
        if (RD_KAFKA_CONF_OK != rd_kafka_conf_set(conf, name_values[i], value, error, sizeof(error)))
        {
            fail(name_values[i], error);
        }
    }
    if (RD_KAFKA_RESP_ERR_NO_ERROR != rd_kafka_conf_interceptor_add_on_new(conf, "count fetches", on_new, NULL))
    {
        fail("fetches", "cannot be counted");
    }
    rd_kafka_t *client = rd_kafka_new(RD_KAFKA_CONSUMER, conf, error, sizeof(error));
    if (NULL == client)
    {
        fail("librdkafka", error);
    }
    rd_kafka_poll_set_consumer(client);
    return client;
}

static void assign_from_first_offset(rd_kafka_t *client, const settings_t *settings)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(settings->partitions);
    for (int32_t partition = 0; partition < settings->partitions; partition++)
    {
        rd_kafka_topic_partition_list_add(list, settings->topic, partition);
        rd_kafka_topic_partition_list_set_offset(list, settings->topic, partition, 0);
    }
    const int err = rd_kafka_assign(client, list);
    rd_kafka_topic_partition_list_destroy(list);
    if (RD_KAFKA_RESP_ERR_NO_ERROR != err)
    {
        fail("assign", rd_kafka_err2str(err));
    }
}

static uint64_t uint64_at(const char *value, size_t index)
{
    uint64_t result;
    memcpy(&result, value + index, sizeof(result));
    return result;
}

static void on_message(const rd_kafka_message_t *message, tally_t *tally)
{
    if (RD_KAFKA_RESP_ERR_NO_ERROR != message->err)
    {
        fail("record", rd_kafka_err2str(message->err));
    }
    if (message->length < SMALLEST_VALUE)
    {
        fail("record", "its value is too short for three longs");
    }
    const char *value = message->payload;
    tally->records++;
    tally->bytes += message->length;
    tally->sum += uint64_at(value, FIRST) + uint64_at(value, SECOND) + uint64_at(value, THIRD);
}

/* A batch waits until it is full, so the last one asks for what is left and no more. */
static void read_all(rd_kafka_queue_t *queue, uint64_t records, tally_t *tally)
{
    static rd_kafka_message_t *messages[BATCH_SIZE];
    int empty_polls = 0;
    while (tally->records < records)
    {
        const uint64_t left = records - tally->records;
        const ssize_t count = rd_kafka_consume_batch_queue(
            queue, POLL_TIMEOUT_MS, messages, left < BATCH_SIZE ? left : BATCH_SIZE);
        if (count < 0)
        {
            fail("consume", "librdkafka refuses it");
        }
        empty_polls = 0 == count ? empty_polls + 1 : 0;
        if (EMPTY_POLLS_LIMIT == empty_polls)
        {
            fail("consume", "no record came for 30 s");
        }
        for (ssize_t i = 0; i < count; i++)
        {
            on_message(messages[i], tally);
            rd_kafka_message_destroy(messages[i]);
        }
    }
}

/* Unassigned, it sends no new fetch, and the one that waits at the end of the log runs out. */
static void rest(rd_kafka_t *client, long rest_ms)
{
    const struct timespec duration = { .tv_sec = rest_ms / 1000, .tv_nsec = rest_ms % 1000 * 1000000 };
    rd_kafka_assign(client, NULL);
    nanosleep(&duration, NULL);
}

static void pass(rd_kafka_t *client, rd_kafka_queue_t *queue, const settings_t *settings, FILE *answers)
{
    tally_t tally = { 0 };
    const usage_t before = usage_now();

    assign_from_first_offset(client, settings);
    read_all(queue, settings->records, &tally);

    const usage_t after = usage_now();
    rest(client, settings->rest_ms);
    fprintf(answers, "{\"records\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"sum\":%" PRId64 ",\"wallNs\":%" PRId64
        ",\"threadCpuNs\":%" PRId64 ",\"processCpuNs\":%" PRId64 ",\"allocatedBytes\":-1}\n",
        tally.records, tally.bytes, (int64_t)tally.sum, after.wall_ns - before.wall_ns,
        after.thread_cpu_ns - before.thread_cpu_ns, after.process_cpu_ns - before.process_cpu_ns);
}

static void answer(rd_kafka_t *client, const settings_t *settings, FILE *commands, FILE *answers)
{
    rd_kafka_queue_t *queue = rd_kafka_queue_get_consumer(client);
    char command[COMMAND_LENGTH];
    while (NULL != fgets(command, sizeof(command), commands))
    {
        command[strcspn(command, "\n")] = '\0';
        if (0 == strcmp(command, "version"))
        {
            fprintf(answers, "{\"version\":\"%s\"}\n", rd_kafka_version_str());
        }
        else if (0 == strcmp(command, "pass"))
        {
            pass(client, queue, settings, answers);
        }
        else
        {
            fail(command, "is no command");
        }
        fflush(answers);
    }
}

int main(int argc, char **argv)
{
    if (argc < 7)
    {
        fail("usage", "librdkafka_client PARENT_PORT TOPIC PARTITIONS RECORDS REST_MS NAME=VALUE...");
    }
    const settings_t settings =
    {
        .topic = argv[2],
        .partitions = (int)strtol(argv[3], NULL, 10),
        .records = strtoull(argv[4], NULL, 10),
        .rest_ms = strtol(argv[5], NULL, 10)
    };
    rd_kafka_t *client = open_client(argv + 6, argc - 6);
    if (0 == strcmp(argv[1], "0"))
    {
        answer(client, &settings, stdin, stdout);
    }
    else
    {
        const int parent = connect_to_parent(argv[1]);
        answer(client, &settings, fdopen(parent, "r"), fdopen(dup(parent), "w"));
    }
    /* Not closed in order: its threads would be waited for, and there is nothing to save. */
    _Exit(0);
}
