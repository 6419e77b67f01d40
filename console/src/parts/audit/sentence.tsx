import { Text } from '@mantine/core'
import { audit as text } from '../../text/audit.ts'
import { auditSentences } from '../../text/audit-kinds.ts'
import type { Entry } from './entries.ts'
import type { Names } from './names.ts'

export function actorOf({ actor, clientId }: Entry, names: Names): string {
  if (actor.kind === 'system') return text.actors.system
  if (actor.kind === 'client') return text.actors.client(actor.displayName ?? clientId ?? actor.id ?? '')
  return actor.displayName ?? names(actor.id) ?? text.actors.gone
}

/** The name of the affected user, if known. Erased users have none. */
export const targetOf = (entry: Entry, names: Names): string | undefined =>
  names(entry.userId) ?? entry.email ?? undefined

/** An entry as a sentence. */
export function Sentence({ entry, names }: { entry: Entry; names: Names }) {
  const sentences: Record<string, string> = auditSentences
  const template = sentences[entry.action] ?? `{actor}: ${entry.action}`
  const actor = actorOf(entry, names)
  const isOwn = entry.userId !== null && entry.userId === entry.actor.id
  const hasBoth = template.includes('{actor}') && template.includes('{whom}')
  const target = targetOf(entry, names) ?? (entry.actor.kind === 'user' && !entry.userId ? actor : undefined)
  const whom = isOwn && hasBoth ? text.themselves : (target ?? text.somebody)
  const parts = template.split(/(\{actor\}|\{whom\})/).filter((part) => part !== '')
  return (
    <Text size="sm" component="span">
      {parts.map((part, index) => {
        const name = part === '{actor}' ? actor : part === '{whom}' ? whom : undefined
        if (name === undefined) return part
        return (
          <Text key={part} span inherit fw={600}>
            {index === 0 ? capitalize(name) : name}
          </Text>
        )
      })}
    </Text>
  )
}

const capitalize = (name: string) => (name === text.somebody ? name.charAt(0).toUpperCase() + name.slice(1) : name)
