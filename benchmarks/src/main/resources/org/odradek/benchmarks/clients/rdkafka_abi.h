/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of librdkafka's public interface that the client uses, declared here because the library often comes
 * without its header. The library keeps this interface binary compatible; all of it has been there since version 1.6.
 */
#ifndef ODRADEK_RDKAFKA_ABI_H
#define ODRADEK_RDKAFKA_ABI_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define RD_KAFKA_PRODUCER 0
#define RD_KAFKA_CONSUMER 1
#define RD_KAFKA_CONF_OK 0
#define RD_KAFKA_RESP_ERR_NO_ERROR 0
#define RD_KAFKA_RESP_ERR__QUEUE_FULL (-184)
#define RD_KAFKA_PARTITION_UA (-1)
#define RD_KAFKA_MSG_F_COPY 2

typedef struct rd_kafka_s rd_kafka_t;
typedef struct rd_kafka_conf_s rd_kafka_conf_t;
typedef struct rd_kafka_queue_s rd_kafka_queue_t;
typedef struct rd_kafka_topic_s rd_kafka_topic_t;
typedef struct rd_kafka_headers_s rd_kafka_headers_t;
typedef struct rd_kafka_topic_partition_list_s rd_kafka_topic_partition_list_t;

typedef struct rd_kafka_message_s
{
    int err;
    rd_kafka_topic_t *topic;
    int32_t partition;
    void *payload;
    size_t length;
    void *key;
    size_t key_length;
    int64_t offset;
    void *opaque;
} rd_kafka_message_t;

typedef void (rd_kafka_on_delivery)(rd_kafka_t *client, const rd_kafka_message_t *message, void *opaque);

typedef int (rd_kafka_on_new)(
    rd_kafka_t *client, const rd_kafka_conf_t *conf, void *opaque, char *error, size_t error_length);

typedef int (rd_kafka_on_request_sent)(
    rd_kafka_t *client, int socket, const char *broker, int32_t broker_id, int16_t api_key, int16_t api_version,
    int32_t correlation_id, size_t length, void *opaque);

const char *rd_kafka_version_str(void);
const char *rd_kafka_err2str(int err);

rd_kafka_conf_t *rd_kafka_conf_new(void);
int rd_kafka_conf_set(
    rd_kafka_conf_t *conf, const char *name, const char *value, char *error, size_t error_length);
int rd_kafka_conf_interceptor_add_on_new(
    rd_kafka_conf_t *conf, const char *name, rd_kafka_on_new *on_new, void *opaque);
int rd_kafka_interceptor_add_on_request_sent(
    rd_kafka_t *client, const char *name, rd_kafka_on_request_sent *on_request_sent, void *opaque);

rd_kafka_t *rd_kafka_new(int type, rd_kafka_conf_t *conf, char *error, size_t error_length);
void rd_kafka_destroy(rd_kafka_t *client);
int rd_kafka_poll_set_consumer(rd_kafka_t *client);
rd_kafka_queue_t *rd_kafka_queue_get_consumer(rd_kafka_t *client);
void rd_kafka_queue_destroy(rd_kafka_queue_t *queue);
rd_kafka_message_t *rd_kafka_consumer_poll(rd_kafka_t *client, int timeout_ms);
int rd_kafka_consumer_close(rd_kafka_t *client);
int rd_kafka_subscribe(rd_kafka_t *client, const rd_kafka_topic_partition_list_t *topics);
int rd_kafka_query_watermark_offsets(
    rd_kafka_t *client, const char *topic, int32_t partition, int64_t *low, int64_t *high, int timeout_ms);
int rd_kafka_assign(rd_kafka_t *client, const rd_kafka_topic_partition_list_t *partitions);
ssize_t rd_kafka_consume_batch_queue(
    rd_kafka_queue_t *queue, int timeout_ms, rd_kafka_message_t **messages, size_t size);
void rd_kafka_message_destroy(rd_kafka_message_t *message);
int rd_kafka_message_headers(const rd_kafka_message_t *message, rd_kafka_headers_t **headers);
int rd_kafka_header_get_all(
    const rd_kafka_headers_t *headers, size_t index, const char **name, const void **value, size_t *length);

void rd_kafka_conf_set_dr_msg_cb(rd_kafka_conf_t *conf, rd_kafka_on_delivery *on_delivery);
rd_kafka_topic_t *rd_kafka_topic_new(rd_kafka_t *client, const char *topic, void *conf);
int rd_kafka_produce(
    rd_kafka_topic_t *topic, int32_t partition, int flags, void *value, size_t length, const void *key,
    size_t key_length, void *opaque);
int rd_kafka_last_error(void);
int rd_kafka_poll(rd_kafka_t *client, int timeout_ms);
int rd_kafka_flush(rd_kafka_t *client, int timeout_ms);

rd_kafka_topic_partition_list_t *rd_kafka_topic_partition_list_new(int size);
void *rd_kafka_topic_partition_list_add(
    rd_kafka_topic_partition_list_t *list, const char *topic, int32_t partition);
int rd_kafka_topic_partition_list_set_offset(
    rd_kafka_topic_partition_list_t *list, const char *topic, int32_t partition, int64_t offset);
void rd_kafka_topic_partition_list_destroy(rd_kafka_topic_partition_list_t *list);

#endif
