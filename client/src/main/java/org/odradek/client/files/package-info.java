// SPDX-License-Identifier: Apache-2.0

/**
 * How the files of users are opened: those that are read must be regular files of a bounded size, and those that are
 * written belong to their owner. Every package may use it.
 */
package org.odradek.client.files;
