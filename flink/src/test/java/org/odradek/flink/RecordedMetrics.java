// SPDX-License-Identifier: Apache-2.0
package org.odradek.flink;

import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.OperatorIOMetricGroup;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;

/** A metric group of Flink that keeps what is registered in it. */
final class RecordedMetrics
{
    private final Map<String, Gauge<?>> gauges = new HashMap<>();
    private final Map<String, SimpleCounter> counters = new HashMap<>();

    SourceReaderMetricGroup group()
    {
        return group("", SourceReaderMetricGroup.class);
    }

    private <T> T group(final String path, final Class<T> type)
    {
        return type.cast(Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[]{type},
            (proxy, method, arguments) -> call(path, method, arguments)));
    }

    private Object call(final String path, final Method method, final Object[] arguments)
    {
        switch (method.getName())
        {
            case "addGroup":
                final String name = arguments[0] + "." + (arguments.length > 1 ? arguments[1] + "." : "");
                return group(path + name, SourceReaderMetricGroup.class);
            case "gauge":
                gauges.put(path + arguments[0], (Gauge<?>)arguments[1]);
                return arguments[1];
            case "setPendingRecordsGauge":
                gauges.put("pendingRecords", (Gauge<?>)arguments[0]);
                return null;
            case "getIOMetricGroup":
                return group(path, OperatorIOMetricGroup.class);
            default:
                if (method.getReturnType() == Counter.class)
                {
                    return counters.computeIfAbsent(method.getName(), (key) -> new SimpleCounter());
                }
                throw new AssertionError("the source calls " + method);
        }
    }

    /** The value of a gauge, by the names of its groups and its own, with dots between them. */
    Object value(final String name)
    {
        return gauges.get(name).getValue();
    }

    /** The value of one of Flink's own counters, by the name of its getter. */
    long count(final String getter)
    {
        return counters.get(getter).getCount();
    }
}
