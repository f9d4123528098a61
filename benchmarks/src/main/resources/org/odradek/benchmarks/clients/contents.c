/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a topic contains: the number of records of each partition, and a checksum over their keys, values and headers in
 * the order in which they are read.
 */
#define _POSIX_C_SOURCE 200809L

#include "client.h"

#include <inttypes.h>
#include <string.h>

#define POLL_MS 1000
#define EMPTY_POLLS_LIMIT 30
#define NULL_LENGTH (-1)
/* FNV-1a, as the test computes it. */
#define FIRST_HASH UINT64_C(0xcbf29ce484222325)
#define HASH_PRIME UINT64_C(0x100000001b3)

typedef struct contents_s
{
    uint64_t count;
    uint64_t hash;
} contents_t;

static void add_byte(contents_t *contents, unsigned char byte)
{
    contents->hash = (contents->hash ^ byte) * HASH_PRIME;
}

static void add_int(contents_t *contents, int32_t value)
{
    for (int shift = 0; shift < 32; shift += 8)
    {
        add_byte(contents, (unsigned char)((uint32_t)value >> shift));
    }
}

/* Bytes that are null differ from none. */
static void add_bytes(contents_t *contents, const void *bytes, size_t length)
{
    add_int(contents, NULL == bytes ? NULL_LENGTH : (int32_t)length);
    for (size_t i = 0; NULL != bytes && i < length; i++)
    {
        add_byte(contents, ((const unsigned char *)bytes)[i]);
    }
}

static void add_headers(contents_t *contents, const rd_kafka_message_t *message)
{
    rd_kafka_headers_t *headers = NULL;
    const char *name;
    const void *value;
    size_t length;
    if (RD_KAFKA_RESP_ERR_NO_ERROR == rd_kafka_message_headers(message, &headers))
    {
        size_t i = 0;
        while (RD_KAFKA_RESP_ERR_NO_ERROR == rd_kafka_header_get_all(headers, i++, &name, &value, &length))
        {
            add_bytes(contents, name, strlen(name));
            add_bytes(contents, value, length);
        }
    }
}

static void add_record(contents_t *contents, const rd_kafka_message_t *message)
{
    contents->count++;
    add_bytes(contents, message->key, message->key_length);
    add_bytes(contents, message->payload, message->length);
    add_headers(contents, message);
}

void contents(const settings_t *settings, FILE *answers)
{
    static const int64_t first_offsets[PARTITIONS_LIMIT];
    static contents_t all[PARTITIONS_LIMIT];
    rd_kafka_t *client = client_open(settings);
    for (int partition = 0; partition < settings->partitions; partition++)
    {
        all[partition] = (contents_t){ .count = 0, .hash = FIRST_HASH };
    }
    client_assign(client, settings, first_offsets);
    int empty_polls = 0;
    for (uint64_t records = 0; records < settings->records;)
    {
        rd_kafka_message_t *message = rd_kafka_consumer_poll(client, POLL_MS);
        empty_polls = NULL == message ? empty_polls + 1 : 0;
        if (EMPTY_POLLS_LIMIT == empty_polls)
        {
            fail("consume", "no record came for 30 s");
        }
        if (NULL != message)
        {
            check_message(message);
            add_record(&all[message->partition], message);
            rd_kafka_message_destroy(message);
            records++;
        }
    }
    rd_kafka_consumer_close(client);
    rd_kafka_destroy(client);
    fprintf(answers, "{\"partitions\":[");
    for (int partition = 0; partition < settings->partitions; partition++)
    {
        fprintf(answers, "%s\"%" PRIu64 " %" PRIx64 "\"", 0 == partition ? "" : ",", all[partition].count,
            all[partition].hash);
    }
    fprintf(answers, "]}\n");
}
