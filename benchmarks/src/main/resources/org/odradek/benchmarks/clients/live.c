/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a topic while it is written to, in one thread that polls. The thread reads its own meters between two polls
 * when the commanding one asks for a mark, so that records and CPU belong together.
 */
#define _POSIX_C_SOURCE 200809L

#include "client.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define QUERY_TIMEOUT_MS 30000
#define NO_WAIT 0

/* Of 128 buckets for each power of two, so a latency is exact to 0.8 %. */
#define SUB_BUCKET_BITS 7
#define SUB_BUCKETS (1 << SUB_BUCKET_BITS)
#define BUCKETS ((64 - SUB_BUCKET_BITS) * SUB_BUCKETS)

typedef struct counts_s
{
    int64_t records;
    int64_t bytes;
    int64_t missing;
    uint64_t sum;
    usage_t usage;
    uint32_t latencies[BUCKETS];
} counts_t;

static rd_kafka_t *client;
static int poll_ms;
static int64_t next_offsets[PARTITIONS_LIMIT];
static counts_t counts; /* of the polling thread only */

static pthread_t polling_thread;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t mark_taken = PTHREAD_COND_INITIALIZER;
static atomic_int is_mark_wanted;
static atomic_int is_running;
static counts_t mark; /* under the mutex */
static usage_t measured_from;

static int shift_of(uint64_t ns)
{
    return ns < 2 * SUB_BUCKETS ? 0 : 63 - SUB_BUCKET_BITS - __builtin_clzll(ns);
}

/* From when the record was due, which its first eight bytes say, to now. */
static void count_latency(uint64_t due_ns)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const int64_t late_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - (int64_t)due_ns;
    const uint64_t ns = late_ns < 0 ? 0 : (uint64_t)late_ns;
    const int shift = shift_of(ns);
    counts.latencies[shift * SUB_BUCKETS + (int)(ns >> shift)]++;
}

/* Pairs of nanoseconds, the middle of a bucket, and how often. */
static void write_latencies(const uint32_t *latencies, FILE *answers)
{
    const char *separator = "";
    for (int i = 0; i < BUCKETS; i++)
    {
        if (0 != latencies[i])
        {
            const int shift = i < 2 * SUB_BUCKETS ? 0 : i / SUB_BUCKETS - 1;
            const uint64_t least = (uint64_t)(i - shift * SUB_BUCKETS) << shift;
            fprintf(answers, "%s%" PRIu64 ",%" PRIu32, separator, least + ((UINT64_C(1) << shift) >> 1), latencies[i]);
            separator = ",";
        }
    }
}

static void on_message(rd_kafka_message_t *message)
{
    check_message(message);
    uint64_t first = 0;
    memcpy(&first, message->payload, message->length < sizeof(first) ? message->length : sizeof(first));
    counts.records++;
    counts.bytes += (int64_t)message->length;
    counts.missing += message->offset - next_offsets[message->partition];
    counts.sum += first;
    count_latency(first);
    next_offsets[message->partition] = message->offset + 1;
    rd_kafka_message_destroy(message);
}

/* A batch waits until it is full. So the first record is waited for alone, and those that are there are taken along. */
static void poll_once(rd_kafka_queue_t *queue)
{
    static rd_kafka_message_t *messages[BATCH_SIZE];
    rd_kafka_message_t *first = rd_kafka_consumer_poll(client, poll_ms);
    if (NULL != first)
    {
        on_message(first);
        const ssize_t count = rd_kafka_consume_batch_queue(queue, NO_WAIT, messages, BATCH_SIZE);
        for (ssize_t i = 0; i < count; i++)
        {
            on_message(messages[i]);
        }
    }
}

static void take_mark(void)
{
    pthread_mutex_lock(&mutex);
    mark = counts;
    mark.usage = usage_now();
    memset(&counts, 0, sizeof(counts));
    atomic_store(&is_mark_wanted, 0);
    pthread_cond_signal(&mark_taken);
    pthread_mutex_unlock(&mutex);
}

static void *poll_loop(void *unused)
{
    (void)unused;
    rd_kafka_queue_t *queue = rd_kafka_queue_get_consumer(client);
    while (atomic_load_explicit(&is_running, memory_order_acquire))
    {
        poll_once(queue);
        if (atomic_load_explicit(&is_mark_wanted, memory_order_acquire))
        {
            take_mark();
        }
    }
    rd_kafka_queue_destroy(queue);
    return NULL;
}

static counts_t await_mark(void)
{
    pthread_mutex_lock(&mutex);
    atomic_store(&is_mark_wanted, 1);
    while (atomic_load(&is_mark_wanted))
    {
        pthread_cond_wait(&mark_taken, &mutex);
    }
    const counts_t taken = mark;
    pthread_mutex_unlock(&mutex);
    return taken;
}

void live_run(const settings_t *settings, FILE *answers)
{
    client = client_open(settings);
    poll_ms = settings->poll_ms;
    for (int32_t partition = 0; partition < settings->partitions; partition++)
    {
        int64_t first_offset;
        const int err = rd_kafka_query_watermark_offsets(
            client, settings->topic, partition, &first_offset, &next_offsets[partition], QUERY_TIMEOUT_MS);
        if (RD_KAFKA_RESP_ERR_NO_ERROR != err)
        {
            fail("end of the log", rd_kafka_err2str(err));
        }
    }
    client_assign(client, settings, next_offsets);
    atomic_store(&is_running, 1);
    if (0 != pthread_create(&polling_thread, NULL, poll_loop, NULL))
    {
        fail("thread", "cannot be made");
    }
    fprintf(answers, "{\"state\":\"running\"}\n");
}

void live_measure(FILE *answers)
{
    measured_from = await_mark().usage;
    fprintf(answers, "{\"state\":\"measuring\"}\n");
}

void live_stop(FILE *answers)
{
    const counts_t taken = await_mark();
    atomic_store(&is_running, 0);
    pthread_join(polling_thread, NULL);
    rd_kafka_destroy(client);
    fprintf(answers, "{\"records\":%" PRId64 ",\"bytes\":%" PRId64 ",\"missing\":%" PRId64 ",\"fetches\":%" PRId64
        ",\"wallNs\":%" PRId64 ",\"threadCpuNs\":%" PRId64 ",\"processCpuNs\":%" PRId64 ",\"sum\":%" PRId64 ",\"latencies\":[",
        taken.records, taken.bytes, taken.missing, taken.usage.fetches - measured_from.fetches,
        taken.usage.wall_ns - measured_from.wall_ns, taken.usage.thread_cpu_ns - measured_from.thread_cpu_ns,
        taken.usage.process_cpu_ns - measured_from.process_cpu_ns, (int64_t)taken.sum);
    write_latencies(taken.latencies, answers);
    fprintf(answers, "]}\n");
}
