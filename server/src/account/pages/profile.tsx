import type { Ctx } from '../../context.ts'
import type { PageProblem } from '../../http/errors/page-problem.ts'
import { rememberLanguage } from '../../http/request/language-cookie.ts'
import { currentLanguage, runInLanguage } from '../../languages/current-language.ts'
import { t, translatable } from '../../languages/translate.ts'
import { Field, Form } from '../../ui/form.tsx'
import { render } from '../../ui/render.ts'
import { getCurrentUser } from '../confirm-identity.ts'
import { changeProfile, type ProfileField, toProfileFields } from '../profile/service.ts'
import { AccountFrame, type AccountPageInput, AccountSection, defineAccountPage } from './define-account-page.tsx'
import { LanguageField } from './language-field.tsx'

const PATH = '/account/profile'

export const profilePages = defineAccountPage({
  path: PATH,
  show: (ctx, input, problem) => showProfile(ctx, input, { problem }),
  submit: async (ctx, input) => {
    const change = parseForm(input)
    await changeProfile(ctx, input, change)
    const language = change.locale === undefined ? undefined : rememberLanguage(ctx, input.reply, change.locale)
    return runInLanguage(language ?? currentLanguage(), () => showProfile(ctx, input, { isSaved: true }))
  },
})

interface ProfileInput {
  name: ProfileField
  label: string
  autocomplete: string
  type?: 'text' | 'date' | 'url' | 'language'
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
    title: translatable('Name'),
    lead: translatable('How you are addressed.'),
    inputs: [
      { name: 'givenName', label: translatable('Given name'), autocomplete: 'given-name' },
      { name: 'familyName', label: translatable('Family name'), autocomplete: 'family-name' },
      { name: 'middleName', label: translatable('Middle name'), autocomplete: 'additional-name' },
      { name: 'nickname', label: translatable('Nickname'), autocomplete: 'nickname' },
      {
        name: 'displayName',
        label: translatable('Display name'),
        autocomplete: 'name',
        hint: translatable('What others see. Leave it empty to use your given and family name.'),
      },
    ],
  },
  {
    title: translatable('About you'),
    lead: translatable('These are optional. Applications can read them only if you allow it.'),
    inputs: [
      { name: 'gender', label: translatable('Gender'), autocomplete: 'sex' },
      { name: 'birthdate', label: translatable('Date of birth'), autocomplete: 'bday', type: 'date' },
    ],
  },
  {
    title: translatable('On the web'),
    lead: translatable('Applications you sign in to may show these.'),
    inputs: [
      {
        name: 'website',
        label: translatable('Website'),
        autocomplete: 'url',
        type: 'url',
        hint: translatable('Starts with http:// or https://'),
      },
      {
        name: 'pictureUrl',
        label: translatable('Picture'),
        autocomplete: 'photo',
        type: 'url',
        hint: translatable('The address of a picture.'),
      },
    ],
  },
  {
    title: translatable('Language and time'),
    lead: translatable('Applications use these to greet you and to show times.'),
    inputs: [
      {
        name: 'locale',
        label: translatable('Language'),
        autocomplete: 'language',
        type: 'language',
        isRequired: true,
      },
      {
        name: 'zoneinfo',
        label: translatable('Time zone'),
        autocomplete: 'off',
        isRequired: true,
        hint: translatable('An IANA time zone such as Europe/Berlin.'),
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
    title={t('Profile')}
    lead={t('What applications and your colleagues see of you.')}
    consolePage="/profile"
    problem={problem}
  >
    {isSaved && <p role="status">{t('Your profile was saved.')}</p>}
    <AccountSection
      title={t('Email address')}
      lead={t('You sign in with it, and we send emails to it when something about your account changes.')}
    >
      <p>
        <strong>{session.email}</strong>{' '}
        <span class="hint">{session.emailVerified ? t('Confirmed') : t('Not confirmed')}</span>
      </p>
      <a class="button second" href="/account/email">
        {t('Change address')}
      </a>
    </AccountSection>
    <Form action={PATH} csrf={csrf}>
      {SECTIONS.map(({ title, lead, inputs }) => (
        <AccountSection key={title} title={t(title)} lead={t(lead)}>
          {inputs.map(({ name, label, autocomplete, type = 'text', hint }) => {
            const describedBy = hasProblem(problem, name) ? 'problem' : undefined
            const common = { name, label: t(label), value: values[name], describedBy }
            return type === 'language' ? (
              <LanguageField key={name} {...common} />
            ) : (
              <Field
                key={name}
                {...common}
                autocomplete={autocomplete}
                type={type}
                optional
                {...(hint !== undefined && { hint: t(hint) })}
              />
            )
          })}
        </AccountSection>
      ))}
      <button type="submit">{t('Save changes')}</button>
    </Form>
  </AccountFrame>
)

function hasProblem(problem: PageProblem | undefined, name: ProfileField): boolean {
  const details = problem?.error.details
  return Array.isArray(details) && details.some(({ field }) => field === name)
}
