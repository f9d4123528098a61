// SPDX-License-Identifier: Apache-2.0
/**
 * A source for Apache Flink (FLIP-27) whose reader is the consumer, on the thread of the task. It uses the consumer's
 * API and Flink's, and one more thread, which waits for the sockets of idle readers.
 */
package org.odradek.flink;
