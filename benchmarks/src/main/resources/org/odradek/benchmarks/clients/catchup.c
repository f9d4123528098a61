/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a topic from its first record to its last.
 */
#define _POSIX_C_SOURCE 200809L

#include "client.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#define POLL_TIMEOUT_MS 1000
#define EMPTY_POLLS_LIMIT 30

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
} tally_t;

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
    client_unassign(client);
    nanosleep(&duration, NULL);
}

void pass(const settings_t *settings, FILE *answers)
{
    static const int64_t first_offsets[PARTITIONS_LIMIT];
    static rd_kafka_t *client;
    if (NULL == client)
    {
        client = client_open(settings);
    }
    rd_kafka_queue_t *queue = rd_kafka_queue_get_consumer(client);
    tally_t tally = { 0 };
    const usage_t before = usage_now();

    client_assign(client, settings, first_offsets);
    read_all(queue, settings->records, &tally);

    const usage_t after = usage_now();
    rest(client, settings->rest_ms);
    rd_kafka_queue_destroy(queue);
    fprintf(answers, "{\"records\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"sum\":%" PRId64 ",\"wallNs\":%" PRId64
        ",\"threadCpuNs\":%" PRId64 ",\"processCpuNs\":%" PRId64 ",\"allocatedBytes\":-1}\n",
        tally.records, tally.bytes, (int64_t)tally.sum, after.wall_ns - before.wall_ns,
        after.thread_cpu_ns - before.thread_cpu_ns, after.process_cpu_ns - before.process_cpu_ns);
}
