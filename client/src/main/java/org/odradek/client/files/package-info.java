// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: opens the files of users. Files that are read must be regular files of a bounded size; files that are
 * written are accessible to their owner only, unless a setting allows more. Every package may use this package.
 */
package org.odradek.client.files;
