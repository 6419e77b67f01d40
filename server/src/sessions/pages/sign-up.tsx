import type { Ctx } from '../../context.ts'
import { listWrongFields, type PageProblem, toPageProblem } from '../../http/errors/page-problem.ts'
import { createCsrfToken, requireCsrf } from '../../http/request/csrf.ts'
import { definePage, type PageInput, type PageResult } from '../../http/routing/define-route.ts'
import { t } from '../../languages/translate.ts'
import { checkField, throwIfInvalid } from '../../lib/field-validation.ts'
import type { Fields } from '../../lib/fields.ts'
import { Field, Form, Problem } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { NameFields } from '../../ui/name-fields.tsx'
import { render } from '../../ui/render.ts'
import { rich } from '../../ui/rich-text.ts'
import { typedAddressScript } from '../../ui/scripts.ts'
import { beginSignUp, findAwaitedSignUp } from '../awaited-sign-up.ts'
import { findLoginBrand } from '../brand.ts'
import { type LoginTransaction, pageUrl, readLoginTransaction } from '../login-transaction.ts'
import { readTypedAddress, urlWithAddress } from '../typed-address.ts'
import { WAITING_PATH } from './waiting.tsx'

export const signUpPages = [
  definePage({
    method: 'GET',
    path: '/signup',
    handler: async (ctx, input) => {
      const login = readLoginTransaction(ctx, input.query.get('journey'))
      return showSignUp(ctx, input, { login, values: await findValues(ctx, input, login) })
    },
  }),
  definePage({
    method: 'POST',
    path: '/signup',
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      const login = readLoginTransaction(ctx, input.query.get('journey'))
      const values = readValues(input.form)
      try {
        const password = input.form.get('password') ?? ''
        throwIfInvalid([requireName('givenName', values), requireName('familyName', values)])
        const registration = { ...values, email: values.email ?? '', password }
        await beginSignUp(ctx, input, { registration, login })
        return { redirect: pageUrl(ctx, WAITING_PATH, login) }
      } catch (error) {
        return showSignUp(ctx, input, { login, values, problem: toPageProblem(error, input.reply) })
      }
    },
  }),
]

interface Values {
  email: string | undefined
  givenName: string | undefined
  familyName: string | undefined
}

const MAX_NAME_LENGTH = 100

function readValues(form: Fields): Values {
  const name = (field: string) => form.get(field)?.trim().slice(0, MAX_NAME_LENGTH) || undefined
  return { email: form.get('email')?.trim(), givenName: name('givenName'), familyName: name('familyName') }
}

const requireName = (field: 'givenName' | 'familyName', values: Values) =>
  checkField(values[field] !== undefined, field, t('is missing'))

/** The values of the sign-up that this browser gives up because of its address, or only the address. */
async function findValues(ctx: Ctx, input: PageInput, login: LoginTransaction | undefined): Promise<Values> {
  const email = readTypedAddress(ctx, input.query, login)
  const awaited = await findAwaitedSignUp(ctx, input)
  const names = awaited?.email === email ? awaited?.names : undefined
  return { email, givenName: names?.given_name ?? undefined, familyName: names?.family_name ?? undefined }
}

interface SignUpState {
  login: LoginTransaction | undefined
  values: Values
  problem?: PageProblem
}

async function showSignUp(ctx: Ctx, input: PageInput, { login, values, problem }: SignUpState): Promise<PageResult> {
  return {
    status: problem?.status ?? 200,
    formTargets: login?.formTargets ?? [],
    html: render(
      <SignUpPage
        action={pageUrl(ctx, '/signup', login)}
        application={login?.application}
        signIn={urlWithAddress(ctx, '/login', { login, email: values.email })}
        csrf={createCsrfToken(ctx, input.request, input.reply)}
        values={values}
        problem={problem}
      />,
      await findLoginBrand(ctx, login),
    ),
  }
}

interface SignUpPageProps {
  action: string
  application: string | undefined
  signIn: string
  csrf: string
  values: Values
  problem: PageProblem | undefined
}

const SignUpPage = ({ action, application, signIn, csrf, values, problem }: SignUpPageProps) => {
  const wrongFields = listWrongFields(problem)
  const describedBy = (field: string) => (wrongFields.includes(field) ? 'problem' : undefined)
  return (
    <Layout title={t('Create an account')}>
      <h1>{t('Create an account')}</h1>
      {application !== undefined && (
        <p class="quiet">
          {rich('to continue to <b>{application}</b>', { application, b: (name) => <strong>{name}</strong> })}
        </p>
      )}
      <Problem message={problem?.message} />
      <Form action={action} csrf={csrf}>
        <NameFields givenName={values.givenName} familyName={values.familyName} wrongFields={wrongFields} />
        <Field
          label={t('Email address')}
          name="email"
          type="email"
          autocomplete="username"
          value={values.email}
          describedBy={describedBy('email')}
        />
        <Field
          label={t('Password')}
          name="password"
          type="password"
          autocomplete="new-password"
          hint={t('At least 8 characters. A few words that only you would put together are best.')}
          describedBy={describedBy('password')}
        />
        <button type="submit">{t('Create account')}</button>
      </Form>
      <p class="links">
        <a href={signIn}>{t('I have an account already')}</a>
      </p>
      <script type="module" src={typedAddressScript.path} />
    </Layout>
  )
}
