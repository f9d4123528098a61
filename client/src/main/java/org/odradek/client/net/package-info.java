// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: sockets and connections. This includes waiting, connecting, version negotiation, authentication, requests
 * and responses, and reconnecting. The package uses {@code core}.
 * <p>
 * The timeout of a request is measured in real time. It begins when the last byte of the request was written, or when
 * the previous frame was released, whichever is later. Each written byte renews the timeout, and so do each 64 KiB of a
 * response, for at most ten timeouts in total. After the thread was suspended, the response may already be in the
 * socket. So after the deadline a request times out only if two reads of the socket, a second or more apart, do not
 * find the response. With polling time ({@code DutyClock}) a slow handler would extend a request timeout of 30 s to
 * half an hour; only connect timeouts and the rebootstrap use it.
 * <p>
 * A socket's write interest is on only while a send is pending.
 * <p>
 * On a shared poller each socket has a user, the clock of its client. A wait also ends when another user has something
 * to do, because a socket is ready or a deadline has expired, but only once for each of these reasons in a cycle of
 * that user. If a wait ends because of its own user, the other user still ends the next wait. If a ready socket does
 * not end a wait, the poller removes the interest of the socket until the next wait begins.
 * <p>
 * While a large frame is delivered, the low-water mark of its socket is the length of that frame ({@code SO_RCVLOWAT},
 * epoll only). The kernel then acknowledges that many bytes of the next response before they are read, so the broker
 * can send them meanwhile. The mark is not set if the round trip of the connect took 1 ms or more, because the kernel
 * makes the receive window only as large as the number of bytes that are read per round trip.
 * <p>
 * A flag of {@code BrokerAddress} states whether the user has named the address; this is never derived from a node id.
 * Every other host must match {@code allowedHosts}.
 * <p>
 * A failure of TLS or SASL is final. {@code TlsSocket} and {@code Authentication} count as failed from the beginning
 * of each step to its regular end. So after any exception in between, no engine or mechanism is called again, except
 * to free it. A step of {@code BrokerConnection} that ends with an unexpected exception closes the connection before
 * the exception leaves the poll.
 */
package org.odradek.client.net;
