// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: consumer groups: the members of both protocols, what they take and give up, their coordinator, commits and
 * committed offsets. It uses cluster and fetch.
 */
package org.odradek.consumer.group;
