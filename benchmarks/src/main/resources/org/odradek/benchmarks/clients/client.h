/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the ways of reading share: the client that librdkafka gives, its settings, what it used.
 */
#ifndef ODRADEK_CLIENT_H
#define ODRADEK_CLIENT_H

#include "rdkafka_abi.h"

#include <stdio.h>

#define BATCH_SIZE 1000
#define PARTITIONS_LIMIT 1024
#define NS_PER_MS INT64_C(1000000)

typedef struct settings_s
{
    const char *topic;
    int partitions;
    uint64_t records; /* of the whole topic, for a pass */
    long rest_ms;     /* after a pass */
    int poll_ms;      /* how long a poll waits on a live topic */
    long budget_ms;   /* how long the broker holds a fetch for fewer wake-ups; 0 for the settings as they are */
    char **names;     /* of librdkafka's own settings, NAME=VALUE each */
    int name_count;
} settings_t;

typedef struct usage_s
{
    int64_t wall_ns;
    int64_t thread_cpu_ns;
    int64_t process_cpu_ns;
    int64_t fetches;
} usage_t;

/* Says on standard error what is wrong, and ends the process with exit code 1. */
void fail(const char *what, const char *why);

/* The meters now, those of a thread being the caller's. */
usage_t usage_now(void);

rd_kafka_t *client_open(const settings_t *settings);

/* A client that publishes, and its reports of records. */
rd_kafka_t *client_open_producer(const settings_t *settings, rd_kafka_on_delivery *on_delivery);

/* Every partition of the topic, each from its own offset. */
void client_assign(rd_kafka_t *client, const settings_t *settings, const int64_t *offsets);

/* Nothing is fetched from here on. */
void client_unassign(rd_kafka_t *client);

/* A record that is an error ends the process. */
void check_message(const rd_kafka_message_t *message);

/* Reads every record of the topic once and answers what that cost. Its client stays for the next pass. */
void pass(const settings_t *settings, FILE *answers);

/* Reads every record of the topic once and answers the count and a checksum of each partition. */
void contents(const settings_t *settings, FILE *answers);

/* Publishes so many records of a length, with keys or without (1 or 0), and answers what that cost once all are there. */
void publish(const settings_t *settings, char *length_and_keys, FILE *answers);

/* Reads the topic from its first record on for each of these times in milliseconds, with a client of its own. */
void read_for(const settings_t *settings, char *times_ms, FILE *answers);

/* The three words for a topic that is written to. The client is there from run to stop only. */
void live_run(const settings_t *settings, FILE *answers);
void live_measure(FILE *answers);
void live_stop(FILE *answers);

/* The two words for a member of a group. */
void member_join(const settings_t *settings, FILE *answers);
void member_leave(FILE *answers);

#endif
