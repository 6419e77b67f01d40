import { Divider, Stack } from '@mantine/core'
import type { Input } from 'latchkey-sdk'
import { useChange } from '../../../api/use-api.ts'
import { signingKeys } from '../../../text/signing-keys.ts'
import { type Question, useConfirm } from '../../../ui/confirm.tsx'
import { showDone } from '../../../ui/notices.tsx'
import { Section } from '../../../ui/section.tsx'
import { toRelative } from '../../../ui/time.tsx'
import { Deed } from '../kit/deed.tsx'

const text = signingKeys.rotation
type Wish = NonNullable<Input<'POST /api/admin/keys/rotate'>['body']>

/** The three ways to another key, from the one that nobody notices to the one that everybody does. */
export function KeyRotation() {
  const [dialog, ask] = useConfirm()
  const rotate = useChange('POST /api/admin/keys/rotate', {
    refreshes: ['GET /api/admin/keys', 'GET /api/admin/overview'],
    onDone: ({ kid, state, activatesAt }) => {
      const short = kid.slice(0, 8)
      showDone(state === 'upcoming' ? text.next(short, toRelative(activatesAt)) : text.done(short))
    },
  })
  const offer = (body: Wish, words: typeof text.usual, more: Partial<Question> = {}) => (
    <Deed
      title={words.title}
      text={words.text}
      action={words.action}
      hurts={body.leaked === true}
      onAct={() =>
        ask({ title: words.question, text: words.text, action: words.action, ...more }, () =>
          rotate.mutateAsync({ body }),
        )
      }
    />
  )
  return (
    <Section title={text.title}>
      <Stack>
        {offer({}, text.usual, { hurts: false })}
        <Divider />
        {offer({ immediately: true }, text.atOnce)}
        <Divider />
        {offer({ leaked: true }, text.leaked, { text: text.leaked.warning, typed: text.leaked.word })}
      </Stack>
      {dialog}
    </Section>
  )
}
