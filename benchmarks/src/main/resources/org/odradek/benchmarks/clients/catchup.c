/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a topic from its first record on: to its last, or for a time.
 */
#define _POSIX_C_SOURCE 200809L

#include "client.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define POLL_TIMEOUT_MS 1000
#define EMPTY_POLLS_LIMIT 30
#define LONGEST_RESPONSE_NS INT64_C(60000000000)

/* The three places of a value that every client adds up; they must be those of the other clients. */
#define FIRST 0
#define SECOND 8
#define THIRD 15
#define SMALLEST_VALUE (THIRD + sizeof(uint64_t))

typedef struct tally_s
{
    uint64_t records;
    uint64_t bytes;
    uint64_t sum;
    int64_t missing;
} tally_t;

static int64_t next_offsets[PARTITIONS_LIMIT];

static uint64_t uint64_at(const char *value, size_t index)
{
    uint64_t result;
    memcpy(&result, value + index, sizeof(result));
    return result;
}

static void on_message(const rd_kafka_message_t *message, tally_t *tally)
{
    check_message(message);
    if (message->length < SMALLEST_VALUE)
    {
        fail("record", "its value is too short for three longs");
    }
    const char *value = message->payload;
    tally->records++;
    tally->bytes += message->length;
    tally->sum += uint64_at(value, FIRST) + uint64_at(value, SECOND) + uint64_at(value, THIRD);
    tally->missing += message->offset - next_offsets[message->partition];
    next_offsets[message->partition] = message->offset + 1;
}

static int poll_timeout_ms(int64_t deadline_ns)
{
    const int64_t left_ms = (deadline_ns - usage_now().wall_ns) / NS_PER_MS;
    return left_ms < POLL_TIMEOUT_MS ? (int)left_ms : POLL_TIMEOUT_MS;
}

/* A batch waits until it is full, so the last one asks for what is left and no more. */
static void read_until(rd_kafka_queue_t *queue, uint64_t records, int64_t deadline_ns, tally_t *tally)
{
    static rd_kafka_message_t *messages[BATCH_SIZE];
    int empty_polls = 0;
    for (int timeout_ms = poll_timeout_ms(deadline_ns); tally->records < records && timeout_ms > 0;
        timeout_ms = poll_timeout_ms(deadline_ns))
    {
        const uint64_t left = records - tally->records;
        const ssize_t count = rd_kafka_consume_batch_queue(
            queue, timeout_ms, messages, left < BATCH_SIZE ? left : BATCH_SIZE);
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
    client_unassign(client);
    nanosleep(&duration, NULL);
}

static void answer(const tally_t *tally, const usage_t *before, const usage_t *after, FILE *answers)
{
    fprintf(answers, "{\"records\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"missing\":%" PRId64 ",\"sum\":%" PRId64
        ",\"wallNs\":%" PRId64 ",\"threadCpuNs\":%" PRId64 ",\"processCpuNs\":%" PRId64 ",\"fetches\":%" PRId64
        ",\"allocatedBytes\":-1}",
        tally->records, tally->bytes, tally->missing, (int64_t)tally->sum, after->wall_ns - before->wall_ns,
        after->thread_cpu_ns - before->thread_cpu_ns, after->process_cpu_ns - before->process_cpu_ns,
        after->fetches - before->fetches);
}

void pass(const settings_t *settings, FILE *answers)
{
    static rd_kafka_t *client;
    memset(next_offsets, 0, sizeof(next_offsets));
    if (NULL == client)
    {
        client = client_open(settings);
    }
    rd_kafka_queue_t *queue = rd_kafka_queue_get_consumer(client);
    tally_t tally = { 0 };
    const usage_t before = usage_now();

    client_assign(client, settings, next_offsets);
    read_until(queue, settings->records, INT64_MAX, &tally);

    const usage_t after = usage_now();
    rest(client, settings->rest_ms);
    rd_kafka_queue_destroy(queue);
    answer(&tally, &before, &after, answers);
    fprintf(answers, "\n");
}

void read_for(const settings_t *settings, char *times_ms, FILE *answers)
{
    usage_t before = usage_now();
    memset(next_offsets, 0, sizeof(next_offsets));
    rd_kafka_t *client = client_open(settings);
    rd_kafka_queue_t *queue = rd_kafka_queue_get_consumer(client);
    uint64_t records = settings->records;
    client_assign(client, settings, next_offsets);
    const char *separator = "{\"parts\":[";
    const char *time_ms = strtok(times_ms, " ");
    while (NULL != time_ms)
    {
        tally_t tally = { 0 };
        const int64_t deadline_ns = before.wall_ns + strtol(time_ms, NULL, 10) * NS_PER_MS;
        time_ms = strtok(NULL, " ");
        const uint64_t most_records = NULL == time_ms ? records : records / 2;
        read_until(queue, most_records, deadline_ns, &tally);
        /* A large response is delivered at once after seconds without any record. */
        const uint64_t with_next = tally.records + 1;
        read_until(queue, most_records < with_next ? most_records : with_next, deadline_ns + LONGEST_RESPONSE_NS, &tally);
        const usage_t after = usage_now();
        fprintf(answers, "%s", separator);
        answer(&tally, &before, &after, answers);
        separator = ",";
        records -= tally.records;
        before = after;
    }
    fprintf(answers, "]}\n");
    rd_kafka_queue_destroy(queue);
    rd_kafka_destroy(client);
}
