// SPDX-License-Identifier: Apache-2.0

/** Contains the objects that the internal parts of a consumer share, such as its settings and its environment. */
package org.odradek.consumer.core;
