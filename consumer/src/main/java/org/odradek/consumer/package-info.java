// SPDX-License-Identifier: Apache-2.0

/**
 * The API of the consumer. It uses all packages below it.
 */
package org.odradek.consumer;
