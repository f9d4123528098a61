/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A member of a group: from join to leave it writes partition, offset and time of each record, one line a record. The
 * commanding thread waits for the polling one at the end only.
 */
#define _POSIX_C_SOURCE 200809L

#include "client.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>

static rd_kafka_t *client;
static int poll_ms;
static pthread_t polling_thread;
static atomic_int is_running;

static void *poll_loop(void *answers)
{
    while (atomic_load_explicit(&is_running, memory_order_acquire))
    {
        rd_kafka_message_t *message = rd_kafka_consumer_poll(client, poll_ms);
        if (NULL != message && RD_KAFKA_RESP_ERR_NO_ERROR == message->err)
        {
            fprintf(answers, "%" PRId32 " %" PRId64 " %" PRId64 "\n",
                message->partition, message->offset, usage_now().wall_ns);
            fflush(answers);
        }
        /* One that is an error says what the library tries again. */
        if (NULL != message)
        {
            rd_kafka_message_destroy(message);
        }
    }
    return NULL;
}

void member_join(const settings_t *settings, FILE *answers)
{
    client = client_open(settings);
    poll_ms = settings->poll_ms;
    rd_kafka_topic_partition_list_t *topics = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(topics, settings->topic, -1);
    const int err = rd_kafka_subscribe(client, topics);
    rd_kafka_topic_partition_list_destroy(topics);
    if (RD_KAFKA_RESP_ERR_NO_ERROR != err)
    {
        fail("subscribe", rd_kafka_err2str(err));
    }
    atomic_store(&is_running, 1);
    if (0 != pthread_create(&polling_thread, NULL, poll_loop, answers))
    {
        fail("thread", "cannot be made");
    }
    fprintf(answers, "{\"state\":\"joined\"}\n");
}

void member_leave(FILE *answers)
{
    atomic_store(&is_running, 0);
    pthread_join(polling_thread, NULL);
    rd_kafka_consumer_close(client);
    rd_kafka_destroy(client);
    fprintf(answers, "{\"state\":\"left\"}\n");
}
