import { Button, Group } from '@mantine/core'
import { Link } from 'wouter'
import { guide } from '../../../../text/guide.ts'
import { Section } from '../../../../ui/section.tsx'
import type { Connection } from '../clients/connection.ts'
import { HowToConnect } from '../clients/how-to-connect.tsx'

const text = guide.done

interface DoneStepProps {
  name: string
  connection: Connection
  restart: () => void
}

/** The created client with its connection settings. */
export const DoneStep = ({ name, connection, restart }: DoneStepProps) => (
  <Section title={text.title(name)} lead={text.text}>
    <HowToConnect {...connection} />
    <Group>
      <Button component={Link} href={`/applications/${connection.client.applicationId}`}>
        {text.open}
      </Button>
      <Button variant="default" onClick={restart}>
        {text.another}
      </Button>
    </Group>
  </Section>
)
