import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;

class FirstRecords
{
    public static void main(final String[] args)
    {
        final ConsumerContext context = new ConsumerContext()
            .bootstrapServers(args[0]).topic("demo").startPosition(StartPosition.earliest());
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            for (int left = 3; left > 0;)
            {
                left -= consumer.poll((record) -> System.out.println(record.offset() + " " + record.buffer()
                    .getStringWithoutLengthUtf8(record.valueIndex(), record.valueLength())), left, 100_000_000);
            }
        }
    }
}
