import type { Ctx } from '../../context.ts'
import type { PageProblem } from '../../http/page-problem.ts'
import { Field, Form } from '../../ui/form.tsx'
import { render } from '../../ui/render.ts'
import { getSelf } from '../confirm-identity.ts'
import { changeProfile, ownWords, type ProfileField } from '../profile/service.ts'
import { AccountFrame, accountPage, type Visit } from './account-page.tsx'

const PATH = '/account/profile'

export const profilePages = accountPage({
  path: PATH,
  show: (ctx, visit, problem) => showProfile(ctx, visit, { problem }),
  act: async (ctx, visit) => {
    await changeProfile(ctx, visit, readChange(visit))
    return showProfile(ctx, visit, { isSaved: true })
  },
})

interface Input {
  name: ProfileField
  label: string
  autocomplete: string
  type?: 'text' | 'date' | 'url'
  hint?: string
  /** There is always one: it is not cleared by an empty field. */
  isLasting?: boolean
}

const INPUTS: Input[] = [
  { name: 'givenName', label: 'Given name', autocomplete: 'given-name' },
  { name: 'middleName', label: 'Middle name', autocomplete: 'additional-name' },
  { name: 'familyName', label: 'Family name', autocomplete: 'family-name' },
  {
    ...{ name: 'displayName', label: 'Display name', autocomplete: 'name' },
    hint: 'What others see. Left empty, it is your given and family name.',
  },
  { name: 'nickname', label: 'Nickname', autocomplete: 'nickname' },
  { name: 'gender', label: 'Gender', autocomplete: 'sex' },
  { name: 'birthdate', label: 'Date of birth', autocomplete: 'bday', type: 'date' },
  { name: 'website', label: 'Website', autocomplete: 'url', type: 'url' },
  { name: 'pictureUrl', label: 'Address of a picture', autocomplete: 'photo', type: 'url' },
  {
    ...{ name: 'locale', label: 'Language', autocomplete: 'language', isLasting: true },
    hint: 'A language tag such as de-DE.',
  },
  {
    ...{ name: 'zoneinfo', label: 'Time zone', autocomplete: 'off', isLasting: true },
    hint: 'An IANA time zone such as Europe/Berlin.',
  },
]

/** Every field of the form, as it was sent: an empty one clears what was there. */
const readChange = ({ form }: Visit): Partial<Record<ProfileField, string>> =>
  Object.fromEntries(
    INPUTS.flatMap(({ name, isLasting = false }) => {
      const text = form.get(name)
      return text === undefined && isLasting ? [] : [[name, text ?? '']]
    }),
  )

interface Shown {
  problem?: PageProblem | undefined
  isSaved?: boolean
}

async function showProfile(ctx: Ctx, visit: Visit, shown: Shown) {
  const kept = ownWords(await getSelf(ctx, visit.caller))
  // What was refused is shown as it was typed.
  const values = shown.problem ? { ...kept, ...readChange(visit) } : kept
  return { html: render(<ProfilePage {...shown} {...{ csrf: visit.csrf, values }} />) }
}

interface ProfilePageProps extends Shown {
  csrf: string
  values: Record<ProfileField, string>
}

const ProfilePage = ({ csrf, values, problem, isSaved = false }: ProfilePageProps) => (
  <AccountFrame title="Your profile" problem={problem}>
    {isSaved && <p role="status">Your profile was saved.</p>}
    <p class="quiet">Applications that you sign in to may read this, as far as you let them.</p>
    <Form action={PATH} csrf={csrf}>
      {INPUTS.map(({ name, label, autocomplete, type = 'text', hint }) => (
        <Field
          {...{ name, label, autocomplete, type, optional: true, value: values[name] }}
          {...(hint !== undefined && { hint })}
          describedBy={isAtFault(problem, name) ? 'problem' : undefined}
        />
      ))}
      <button type="submit">Save</button>
    </Form>
  </AccountFrame>
)

function isAtFault(problem: PageProblem | undefined, name: ProfileField): boolean {
  const details = problem?.error.details
  return Array.isArray(details) && details.some(({ field }) => field === name)
}
