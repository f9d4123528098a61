// SPDX-License-Identifier: Apache-2.0

/**
 * The API of the consumer. It uses the layers below it: control, then fetch, then net.
 */
package org.odradek.consumer;
