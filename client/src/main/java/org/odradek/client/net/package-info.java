// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: sockets and connections. This includes waiting, connecting, version negotiation, authentication, requests
 * and responses, and reconnecting. The package uses {@code core}.
 * <p>
 * Requests time out in real time, from the moment their last byte was written, or the frame before was released. Bytes
 * that are written renew the time, and so do each 64 KiB of a response, both within ten timeouts; fewer bytes do not.
 * After a pause of the thread the response may be in the socket: past the deadline a request times out at the second
 * read that does not find it, a second or more after the first. (Time that was polled, the rule before, let a slow
 * handler turn 30 s into half an hour.) Connects and the rebootstrap stay on time that was polled ({@code DutyClock}).
 * <p>
 * A socket's write interest is on only while a send is pending.
 * <p>
 * On a shared poller each socket has a user, the clock of its client. A wait also ends when another user has something
 * to do, because a socket is ready or a deadline has expired, but only once for each of these reasons in a cycle of
 * that user. A wait that ends for the user that waits does not count: the next wait ends for the other user. The
 * poller removes the interest of ready sockets that do not end a wait until the next wait, so no wait has to restore
 * it, however it ends.
 * <p>
 * While a large frame is delivered the low-water mark of its socket is the length of that frame ({@code SO_RCVLOWAT},
 * epoll only). The kernel then acknowledges that many bytes of the next response before they are read, so the broker
 * can send them meanwhile. A socket whose connect took a round trip of 1 ms or more has no mark: the kernel makes its
 * window as large as what is read per trip.
 * <p>
 * What the user has named is a flag of a {@code BrokerAddress}, never derived from a node id; every other host must
 * match {@code allowedHosts}.
 * <p>
 * A failure of TLS or SASL is final. {@code TlsSocket} and {@code Authentication} count as failed from the beginning
 * of each step to its regular end. So after any exception in between, no engine or mechanism is called again, except
 * to free it. A step of {@code BrokerConnection} that ends with an unexpected exception closes the connection before
 * the exception leaves the poll.
 */
package org.odradek.client.net;
