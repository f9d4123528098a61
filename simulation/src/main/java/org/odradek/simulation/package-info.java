// SPDX-License-Identifier: Apache-2.0
/**
 * Runs the unmodified consumer and a model of a whole cluster on one thread, in simulated time. Every choice is drawn
 * from one seed, so that a run that fails can be repeated by its number.
 * <p>
 * {@link org.odradek.simulation.World} is one run. The network, the load and the faults change it by events of {@link
 * org.odradek.simulation.SimulatedClock}, {@link org.odradek.simulation.User} calls the consumer, and each
 * {@link org.odradek.simulation.Observer} checks or records what occurs. Real pollers, TLS and races
 * between threads are out of reach.
 */
package org.odradek.simulation;
