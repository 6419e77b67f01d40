import { Text } from '@mantine/core'
import { audit as text } from '../../text/audit.ts'
import { auditSentences } from '../../text/audit-kinds.ts'
import type { Names } from './names.ts'
import type { Entry } from './source.ts'

export function actorOf({ actor, clientId }: Entry, names: Names): string {
  if (actor.kind === 'system') return text.actors.system
  if (actor.kind === 'client') return text.actors.client(actor.displayName ?? clientId ?? actor.id ?? '')
  return actor.displayName ?? names(actor.id) ?? text.actors.gone
}

/** To whom it happened, as far as it is known. Who was erased has no name any more. */
export const whomOf = (entry: Entry, names: Names): string | undefined =>
  names(entry.userId) ?? entry.email ?? undefined

/** An entry as people would tell it. */
export function Sentence({ entry, names }: { entry: Entry; names: Names }) {
  const sentences: Record<string, string> = auditSentences
  const template = sentences[entry.action] ?? `{actor}: ${entry.action}`
  const actor = actorOf(entry, names)
  const isOwn = entry.userId !== null && entry.userId === entry.actor.id
  const hasBoth = template.includes('{actor}') && template.includes('{whom}')
  const known = whomOf(entry, names) ?? (entry.actor.kind === 'user' && !entry.userId ? actor : undefined)
  const whom = isOwn && hasBoth ? text.themselves : (known ?? text.somebody)
  const parts = template.split(/(\{actor\}|\{whom\})/).filter((part) => part !== '')
  return (
    <Text size="sm" component="span">
      {parts.map((part, place) => {
        const name = part === '{actor}' ? actor : part === '{whom}' ? whom : undefined
        if (name === undefined) return part
        return (
          <Text key={part} span inherit fw={600}>
            {place === 0 ? capital(name) : name}
          </Text>
        )
      })}
    </Text>
  )
}

const capital = (name: string) =>
  name === text.somebody ? name.charAt(0).toUpperCase() + name.slice(1) : name
