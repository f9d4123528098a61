// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.flink;

import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.typeutils.ValueTypeInfo;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.types.LongValue;
import org.apache.flink.util.Collector;

/**
 * What the jobs do with the records of a source: they count. Nothing is passed on.
 */
final class Counting
{
    private Counting()
    {
    }

    /** Counts on the thread of the source. */
    static void chained(final DataStream<Sample> samples)
    {
        samples.flatMap(new CountSamples()).returns(ValueTypeInfo.LONG_VALUE_TYPE_INFO)
            .sinkTo(new DiscardingSink<>());
    }

    /** Counts for each of 1,024 keys, on a thread of its own, to which 8 bytes of each record are sent. */
    static void keyed(final DataStream<Sample> samples)
    {
        samples.map(new SumOf()).returns(ValueTypeInfo.LONG_VALUE_TYPE_INFO)
            .keyBy(new LowBits(), Types.INT)
            .flatMap(new CountByKey()).returns(ValueTypeInfo.LONG_VALUE_TYPE_INFO)
            .sinkTo(new DiscardingSink<>());
    }

    private static final class CountSamples extends RichFlatMapFunction<Sample, LongValue>
    {
        private static final long serialVersionUID = 1;

        private transient Tally tally;

        @Override
        public void open(final OpenContext context)
        {
            tally = Tally.current();
        }

        @Override
        public void flatMap(final Sample sample, final Collector<LongValue> output)
        {
            tally.onSample(sample);
        }
    }

    private static final class SumOf implements MapFunction<Sample, LongValue>
    {
        private static final long serialVersionUID = 1;

        private final LongValue sum = new LongValue();

        @Override
        public LongValue map(final Sample sample)
        {
            sum.setValue(sample.first + sample.others);
            return sum;
        }
    }

    private static final class LowBits implements KeySelector<LongValue, Integer>
    {
        private static final long serialVersionUID = 1;
        private static final Integer[] KEYS = new Integer[1_024];

        static
        {
            for (int i = 0; i < KEYS.length; i++)
            {
                KEYS[i] = i;
            }
        }

        @Override
        public Integer getKey(final LongValue sum)
        {
            return KEYS[(int)sum.getValue() & KEYS.length - 1];
        }
    }

    private static final class CountByKey extends RichFlatMapFunction<LongValue, LongValue>
    {
        private static final long serialVersionUID = 1;

        private transient Tally tally;
        private transient ValueState<LongValue> counts;

        @Override
        public void open(final OpenContext context)
        {
            tally = Tally.current();
            counts = getRuntimeContext().getState(
                new ValueStateDescriptor<>("count", ValueTypeInfo.LONG_VALUE_TYPE_INFO));
        }

        @Override
        public void flatMap(final LongValue sum, final Collector<LongValue> output) throws Exception
        {
            LongValue count = counts.value();
            if (count == null)
            {
                count = new LongValue();
            }
            count.setValue(count.getValue() + 1);
            counts.update(count);
            tally.onSum(sum.getValue());
        }
    }
}
