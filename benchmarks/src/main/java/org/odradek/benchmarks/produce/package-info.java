// SPDX-License-Identifier: Apache-2.0

/** The scenario {@code produce}: what it costs to publish, and how long an acknowledgement takes. */
package org.odradek.benchmarks.produce;
