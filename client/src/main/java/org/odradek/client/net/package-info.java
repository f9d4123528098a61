// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: sockets and connections. This includes waiting, connecting, version negotiation, authentication, requests
 * and responses, and reconnecting. The package uses {@code core}.
 * <p>
 * The timeout of a request is measured in real time. It begins when the last byte of the request was written, or when
 * the previous frame was released, whichever is later. Each 64 KiB of a response renews the timeout, for at most ten
 * timeouts in total. While a request is being written, each byte written renews the time for the rest in the same way.
 * After the thread was suspended, the response may already be in the socket. So after the deadline a request times out
 * only if two reads of the socket, a second or more apart, do not find the response. Request timeouts do not use
 * polling time ({@code DutyClock}), which counts a pause as at most 1 s. With polling time and a handler that takes a
 * minute, a request timeout of 30 s would last half an hour. Only connect timeouts and the rebootstrap use polling
 * time.
 * <p>
 * A socket's write interest is on only while a send is pending.
 * <p>
 * On a shared poller each socket has a user, the clock of its client. A wait of one user also ends when another user
 * has something to do, because a socket is ready or a deadline has expired. Each of these two reasons ends at most one
 * wait in a cycle of the other user. If a wait ends because of its own user, the other user can still end the next
 * wait. If a ready socket does not end a wait, the poller removes the interest of the socket, at least until the next
 * wait begins.
 * <p>
 * While a large frame is delivered and the next request is outstanding, the low-water mark of the socket is the length
 * of that frame ({@code SO_RCVLOWAT}, epoll only). The kernel then acknowledges that many bytes of the next response
 * before they are read, so the broker can send them meanwhile. The mark is not set if the round trip of the connect
 * took 1 ms or more, because the kernel makes the receive window only as large as the number of bytes that are read per
 * round trip.
 * <p>
 * {@code BrokerAddress.isNamedByUser} is true if host and port are from the user's settings. A node id does not show
 * this. If {@code isNamedByUser} is false, the host must match {@code allowedHosts}.
 * <p>
 * A failure of TLS or SASL is final. {@code TlsSocket} and {@code Authentication} count as failed from the beginning
 * of each step to its regular end. So after any exception in between, no engine or mechanism is called again, except
 * to free it. A step of {@code BrokerConnection} that ends with an unexpected exception closes the connection before
 * the exception leaves the poll.
 */
package org.odradek.client.net;
