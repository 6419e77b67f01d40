import type { ComponentChildren } from 'preact'
import type { PageProblem } from '../http/page-problem.ts'
import type { Fields } from '../lib/fields.ts'
import { Field, Form, Problem } from '../ui/form.tsx'
import { Layout } from '../ui/layout.tsx'
import { asRole } from './as-role.ts'
import type { ShownInvitation } from './schema.ts'

interface FrameProps {
  invitation: ShownInvitation
  problem: PageProblem | undefined
  children: ComponentChildren
}

/** What everybody sees who holds an open link: who invites whom to what, and until when. */
const Frame = ({ invitation, problem, children }: FrameProps) => {
  const { tenant, role, email, invitedBy, expiresAt } = invitation
  return (
    <Layout title={`Join ${tenant.name}`}>
      <h1>Join {tenant.name}</h1>
      <p>
        {invitedBy ? (
          <>
            <strong>{invitedBy.displayName}</strong> invites you
          </>
        ) : (
          'You are invited'
        )}{' '}
        to join <strong>{tenant.name}</strong>
        {asRole(role)}.
      </p>
      <p class="quiet">
        The invitation is for {email}. It is good until {expiresAt.slice(0, 10)}.
      </p>
      <Problem message={problem?.message} />
      {children}
    </Layout>
  )
}

/** What the pages of one open invitation need to know. */
export interface ViewProps extends Omit<FrameProps, 'children'> {
  action: string
  csrf: string
}

/** The button, and the field that says which it was: also for who just presses the enter key. */
const Step = ({ action, csrf, choice, children }: StepProps) => (
  <Form action={action} csrf={csrf}>
    <input type="hidden" name="choice" value={choice} />
    {children}
  </Form>
)

interface StepProps {
  action: string
  csrf: string
  choice: 'accept' | 'join' | 'switch' | 'confirm'
  children: ComponentChildren
}

export const AcceptPage = (view: ViewProps) => (
  <Frame {...view}>
    <Step {...view} choice="accept">
      <button type="submit">Accept</button>
    </Step>
  </Frame>
)

export const SignInPage = ({ signIn, ...view }: ViewProps & { signIn: string }) => (
  <Frame {...view}>
    <p>There is an account with this address already.</p>
    <a class="button" href={signIn}>
      Sign in to accept
    </a>
  </Frame>
)

export const OtherPersonPage = ({ signedIn, ...view }: ViewProps & { signedIn: string }) => (
  <Frame {...view}>
    <p>
      You are signed in with another address: <strong>{signedIn}</strong>.
    </p>
    <Step {...view} choice="switch">
      <button type="submit">Use another account</button>
    </Step>
    <p class="links">
      <a href="/account">Go to your account</a>
    </p>
  </Frame>
)

export const UnconfirmedPage = ({ mailed, ...view }: ViewProps & { mailed: boolean }) => (
  <Frame {...view}>
    {mailed ? (
      <p role="status">A mail with a link is on its way. Follow it, and then open this invitation again.</p>
    ) : (
      <Step {...view} choice="confirm">
        <p role="status">
          This address is not confirmed yet: follow the link in the mail we sent you, and then open this
          invitation again.
        </p>
        <button type="submit" class="second">
          Send the mail again
        </button>
      </Step>
    )}
  </Frame>
)

interface NewcomerProps extends ViewProps {
  form: Fields
  providers: { label: string; path: string }[]
}

export const NewcomerPage = ({ form, providers, ...view }: NewcomerProps) => {
  const { email, tenant } = view.invitation
  const wrong = fieldsAtFault(view.problem)
  const describedBy = (field: string) => (wrong.includes(field) ? 'problem' : undefined)
  return (
    <Frame {...view}>
      <Step {...view} choice="join">
        <Field
          label="Given name"
          name="givenName"
          type="text"
          autocomplete="given-name"
          value={form.get('givenName')}
          describedBy={describedBy('givenName')}
        />
        <Field
          label="Family name"
          name="familyName"
          type="text"
          autocomplete="family-name"
          value={form.get('familyName')}
          describedBy={describedBy('familyName')}
        />
        <p class="field">
          <label for="email">E-mail address</label>
          {/* Nobody chooses it here: it is for the person to read, and for their password manager to keep. */}
          <input
            id="email"
            name="email"
            type="email"
            autocomplete="username"
            class="quiet"
            value={email}
            readonly
          />
        </p>
        <Field
          label="Password"
          name="password"
          type="password"
          autocomplete="new-password"
          hint="At least 8 characters. A few words that only you would put together are best."
          describedBy={describedBy('password')}
        />
        <button type="submit">Join {tenant.name}</button>
      </Step>
      {providers.length > 0 && <p class="or">or</p>}
      {providers.map(({ label, path }) => (
        <a key={path} class="button second" href={path}>
          Continue with {label}
        </a>
      ))}
    </Frame>
  )
}

function fieldsAtFault(problem: PageProblem | undefined): string[] {
  if (problem?.error.code === 'WEAK_PASSWORD') return ['password']
  const details = problem?.error.details
  return Array.isArray(details) ? details.map(({ field }) => field) : []
}

export const JoinedPage = ({ tenantName, email }: { tenantName: string; email: string }) => (
  <Layout title={`Welcome to ${tenantName}`}>
    <h1>You are now a member of {tenantName}</h1>
    <p role="status">
      You are signed in as <strong>{email}</strong>.
    </p>
    <a class="button" href="/account">
      Go to your account
    </a>
  </Layout>
)
