import { ACTIONS, type Action, EVENT_TYPES, type EventType, kindOf } from '../audit/catalogue.ts'
import { exampleOf } from '../audit/event-example.ts'

const INTRODUCTION = `# Events

Everything that happens is written down in the audit log ([audit.md](audit.md)). Of what is listed first, other systems are told: by webhooks and
by the feed, in the form shown. What operators do to the instance itself stands in the log alone, and is listed at the end.

\`id\` stays the same however often an event is sent; \`position\` only grows. \`data.details\` holds nothing
that names a person; \`data.email\` does, and becomes \`null\` when the person is erased. New types and new fields may come: leave alone what you do not know.
`

/** The catalogue of what happens, for those who build on it. */
export const describeEvents = (): string =>
  [INTRODUCTION, ...EVENT_TYPES.map(describeEvent), describeOthers()].join('\n')

const describeEvent = (type: EventType): string =>
  [
    `## \`${type}\``,
    '',
    kindOf(type).says,
    '',
    '```json',
    JSON.stringify(exampleOf(type), null, 2),
    '```',
    '',
  ].join('\n')

function describeOthers(): string {
  const others = ACTIONS.filter((action) => !(EVENT_TYPES as Action[]).includes(action))
  return [
    '## In the audit log alone',
    '',
    '| Action | What happened | Details, for example |',
    '| --- | --- | --- |',
    ...others.map((action) => `| \`${action}\` | ${kindOf(action).says} | ${detailsOf(action)} |`),
    '',
  ].join('\n')
}

function detailsOf(action: Action): string {
  const { example } = kindOf(action)
  return example ? `\`${JSON.stringify(example)}\`` : ''
}
