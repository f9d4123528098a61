// SPDX-License-Identifier: Apache-2.0
/**
 * Messages.
 */
package org.odradek.kafka.message;
