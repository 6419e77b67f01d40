import { Button, Group } from '@mantine/core'
import { Link } from 'wouter'
import { guide } from '../../../../text/guide.ts'
import { Section } from '../../../../ui/section.tsx'
import type { Connection } from '../clients/connection-dialog.tsx'
import { HowToConnect } from '../clients/how-to-connect.tsx'

const text = guide.done

interface DoneStepProps {
  name: string
  connection: Connection
  startAnew: () => void
}

/** What was made, and how to use it. */
export const DoneStep = ({ name, connection, startAnew }: DoneStepProps) => (
  <Section title={text.title(name)} lead={text.text}>
    <HowToConnect {...connection} />
    <Group>
      <Button component={Link} href={`/applications/${connection.client.applicationId}`}>
        {text.open}
      </Button>
      <Button variant="default" onClick={startAnew}>
        {text.another}
      </Button>
    </Group>
  </Section>
)
