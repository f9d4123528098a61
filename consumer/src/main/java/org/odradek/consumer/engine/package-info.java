// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: what runs a consumer: the duty cycle, the conductor, offset lookups, the guard of polls, the recorder,
 * and mapped files. It uses all other packages except the root.
 */
package org.odradek.consumer.engine;
