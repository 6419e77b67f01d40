import type { Ctx } from '../../context.ts'
import type { PageProblem } from '../../http/errors/page-problem.ts'
import { Field, Form } from '../../ui/form.tsx'
import { render } from '../../ui/render.ts'
import { getCurrentUser } from '../confirm-identity.ts'
import { changeProfile, type ProfileField, toProfileFields } from '../profile/service.ts'
import { AccountFrame, type AccountPageInput, AccountSection, defineAccountPage } from './define-account-page.tsx'

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

interface ProfileSection {
  title: string
  lead: string
  inputs: ProfileInput[]
}

const SECTIONS: ProfileSection[] = [
  {
    title: 'Name',
    lead: 'How you are addressed.',
    inputs: [
      { name: 'givenName', label: 'Given name', autocomplete: 'given-name' },
      { name: 'familyName', label: 'Family name', autocomplete: 'family-name' },
      { name: 'middleName', label: 'Middle name', autocomplete: 'additional-name' },
      { name: 'nickname', label: 'Nickname', autocomplete: 'nickname' },
      {
        name: 'displayName',
        label: 'Display name',
        autocomplete: 'name',
        hint: 'What others see. Leave it empty to use your given and family name.',
      },
    ],
  },
  {
    title: 'About you',
    lead: 'These are optional. Applications can read them only if you allow it.',
    inputs: [
      { name: 'gender', label: 'Gender', autocomplete: 'sex' },
      { name: 'birthdate', label: 'Date of birth', autocomplete: 'bday', type: 'date' },
    ],
  },
  {
    title: 'On the web',
    lead: 'Applications you sign in to may show these.',
    inputs: [
      {
        name: 'website',
        label: 'Website',
        autocomplete: 'url',
        type: 'url',
        hint: 'Starts with http:// or https://',
      },
      { name: 'pictureUrl', label: 'Picture', autocomplete: 'photo', type: 'url', hint: 'The address of a picture.' },
    ],
  },
  {
    title: 'Language and time',
    lead: 'Applications use these to greet you and to show times.',
    inputs: [
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
    ],
  },
]

const INPUTS = SECTIONS.flatMap(({ inputs }) => inputs)

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
  return { html: render(<ProfilePage {...state} csrf={input.csrf} session={input.session} values={values} />) }
}

interface ProfilePageProps extends PageState, Pick<AccountPageInput, 'csrf' | 'session'> {
  values: Record<ProfileField, string>
}

const ProfilePage = ({ csrf, session, values, problem, isSaved = false }: ProfilePageProps) => (
  <AccountFrame
    title="Profile"
    lead="What applications and your colleagues see of you."
    consolePage="/profile"
    problem={problem}
  >
    {isSaved && <p role="status">Your profile was saved.</p>}
    <AccountSection
      title="Email address"
      lead="You sign in with it, and we send emails to it when something about your account changes."
    >
      <p>
        <strong>{session.email}</strong>{' '}
        <span class="hint">{session.emailVerified ? 'Confirmed' : 'Not confirmed'}</span>
      </p>
      <a class="button second" href="/account/email">
        Change address
      </a>
    </AccountSection>
    <Form action={PATH} csrf={csrf}>
      {SECTIONS.map(({ title, lead, inputs }) => (
        <AccountSection key={title} title={title} lead={lead}>
          {inputs.map(({ name, label, autocomplete, type = 'text', hint }) => (
            <Field
              key={name}
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
        </AccountSection>
      ))}
      <button type="submit">Save changes</button>
    </Form>
  </AccountFrame>
)

function hasProblem(problem: PageProblem | undefined, name: ProfileField): boolean {
  const details = problem?.error.details
  return Array.isArray(details) && details.some(({ field }) => field === name)
}
