import type { Ctx } from '../../context.ts'
import type { PageProblem } from '../../http/errors/page-problem.ts'
import { Field, Form } from '../../ui/form.tsx'
import { render } from '../../ui/render.ts'
import { getCurrentUser } from '../confirm-identity.ts'
import { changeProfile, type ProfileField, toProfileFields } from '../profile/service.ts'
import { AccountFrame, type AccountPageInput, defineAccountPage } from './define-account-page.tsx'

const PATH = '/account/profile'

export const profilePages = defineAccountPage({
  path: PATH,
  show: (ctx, input, problem) => showProfile(ctx, input, { problem }),
  submit: async (ctx, input) => {
    await changeProfile(ctx, input, parseForm(input))
    return showProfile(ctx, input, { isSaved: true })
  },
})

interface ProfileInput {
  name: ProfileField
  label: string
  autocomplete: string
  type?: 'text' | 'date' | 'url'
  hint?: string
  /** The value always exists: an empty field does not clear it. */
  isRequired?: boolean
}

const INPUTS: ProfileInput[] = [
  { name: 'givenName', label: 'Given name', autocomplete: 'given-name' },
  { name: 'middleName', label: 'Middle name', autocomplete: 'additional-name' },
  { name: 'familyName', label: 'Family name', autocomplete: 'family-name' },
  {
    name: 'displayName',
    label: 'Display name',
    autocomplete: 'name',
    hint: 'What others see. Left empty, it is your given and family name.',
  },
  { name: 'nickname', label: 'Nickname', autocomplete: 'nickname' },
  { name: 'gender', label: 'Gender', autocomplete: 'sex' },
  { name: 'birthdate', label: 'Date of birth', autocomplete: 'bday', type: 'date' },
  { name: 'website', label: 'Website', autocomplete: 'url', type: 'url' },
  { name: 'pictureUrl', label: 'Address of a picture', autocomplete: 'photo', type: 'url' },
  {
    name: 'locale',
    label: 'Language',
    autocomplete: 'language',
    isRequired: true,
    hint: 'A language tag such as de-DE.',
  },
  {
    name: 'zoneinfo',
    label: 'Time zone',
    autocomplete: 'off',
    isRequired: true,
    hint: 'An IANA time zone such as Europe/Berlin.',
  },
]

/** All fields of the form; an empty one clears the stored value. */
const parseForm = ({ form }: AccountPageInput): Partial<Record<ProfileField, string>> =>
  Object.fromEntries(
    INPUTS.flatMap(({ name, isRequired = false }) => {
      const text = form.get(name)
      return text === undefined && isRequired ? [] : [[name, text ?? '']]
    }),
  )

interface PageState {
  problem?: PageProblem | undefined
  isSaved?: boolean
}

async function showProfile(ctx: Ctx, input: AccountPageInput, state: PageState) {
  const stored = toProfileFields(await getCurrentUser(ctx, input.caller))
  // Invalid input is shown again as it was typed.
  const values = state.problem ? { ...stored, ...parseForm(input) } : stored
  return { html: render(<ProfilePage {...state} csrf={input.csrf} values={values} />) }
}

interface ProfilePageProps extends PageState {
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
          name={name}
          label={label}
          autocomplete={autocomplete}
          type={type}
          optional
          value={values[name]}
          {...(hint !== undefined && { hint })}
          describedBy={hasProblem(problem, name) ? 'problem' : undefined}
        />
      ))}
      <button type="submit">Save</button>
    </Form>
  </AccountFrame>
)

function hasProblem(problem: PageProblem | undefined, name: ProfileField): boolean {
  const details = problem?.error.details
  return Array.isArray(details) && details.some(({ field }) => field === name)
}
