// SPDX-License-Identifier: Apache-2.0
/** Binds the metrics of a consumer or a publisher to a registry of Micrometer. */
package org.odradek.micrometer;
