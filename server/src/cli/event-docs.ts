import { ACTIONS, type Action, EVENT_TYPES, type EventType, getActionDefinition } from '../audit/catalog.ts'
import { createExampleEvent } from '../audit/event-example.ts'

const INTRODUCTION = `# Events

Every action is recorded in the audit log ([audit.md](audit.md)). The actions listed first are also sent to other systems as events, by webhooks and
the event feed, in the form shown. Actions of operators on the instance itself are in the audit log only and are listed at the end.

\`id\` is the same for every delivery of an event; \`position\` only grows. \`data.details\` contains no personal
data; \`data.email\` does, and becomes \`null\` when the user is erased. New types and new fields may be added: ignore those you do not know.
`

/** The event catalog for docs/events.md. */
export const createEventDocs = (): string =>
  [INTRODUCTION, ...EVENT_TYPES.map(describeEvent), describeAuditOnly()].join('\n')

const describeEvent = (type: EventType): string =>
  [
    `## \`${type}\``,
    '',
    getActionDefinition(type).summary,
    '',
    '```json',
    JSON.stringify(createExampleEvent(type), null, 2),
    '```',
    '',
  ].join('\n')

function describeAuditOnly(): string {
  const auditOnly = ACTIONS.filter((action) => !(EVENT_TYPES as Action[]).includes(action))
  return [
    '## In the audit log only',
    '',
    '| Action | Meaning | Example details |',
    '| --- | --- | --- |',
    ...auditOnly.map(
      (action) => `| \`${action}\` | ${getActionDefinition(action).summary} | ${describeDetails(action)} |`,
    ),
    '',
  ].join('\n')
}

function describeDetails(action: Action): string {
  const { example } = getActionDefinition(action)
  return example ? `\`${JSON.stringify(example)}\`` : ''
}
