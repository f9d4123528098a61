// SPDX-License-Identifier: Apache-2.0

/**
 * One page of HTML from the JSON files of a run: aims, charts, flame graphs, raw figures. It holds everything it needs
 * and asks no network for anything. Reads results and nothing else; knows no scenario.
 */
package org.odradek.benchmarks.html;
