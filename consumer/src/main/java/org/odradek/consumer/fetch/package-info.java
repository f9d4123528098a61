// SPDX-License-Identifier: Apache-2.0

/** Internal: fetches records from brokers, and delivers them to the handler of the user. */
package org.odradek.consumer.fetch;
