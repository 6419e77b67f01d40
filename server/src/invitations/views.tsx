import type { ComponentChildren } from 'preact'
import { listWrongFields, type PageProblem } from '../http/errors/page-problem.ts'
import { formatDate } from '../languages/dates.ts'
import { t } from '../languages/translate.ts'
import type { Fields } from '../lib/fields.ts'
import { Field, Form, Problem } from '../ui/form.tsx'
import { Layout } from '../ui/layout.tsx'
import { NameFields } from '../ui/name-fields.tsx'
import { ResendButton } from '../ui/resend-button.tsx'
import { rich } from '../ui/rich-text.ts'
import { waitingScript } from '../ui/scripts.ts'
import type { InvitationDetails } from './schema.ts'

interface FrameProps {
  invitation: InvitationDetails
  problem: PageProblem | undefined
  children: ComponentChildren
}

/** The common part of the pages of an open invitation: tenant, inviter, role, address and expiry. */
const Frame = ({ invitation, problem, children }: FrameProps) => {
  const { tenant, role, email, invitedBy, expiresAt } = invitation
  // The default role, member, is not mentioned.
  const values = { role, tenant: tenant.name, b: (text: ComponentChildren) => <strong>{text}</strong> }
  return (
    <Layout title={t('Join {tenant}', { tenant: tenant.name })}>
      <h1>{t('Join {tenant}', { tenant: tenant.name })}</h1>
      <p>
        {invitedBy
          ? rich(
              '{role, select, owner {<b>{inviter}</b> invites you to join <b>{tenant}</b> as an owner.} admin {<b>{inviter}</b> invites you to join <b>{tenant}</b> as an admin.} other {<b>{inviter}</b> invites you to join <b>{tenant}</b>.}}',
              { ...values, inviter: invitedBy.displayName },
            )
          : rich(
              '{role, select, owner {You are invited to join <b>{tenant}</b> as an owner.} admin {You are invited to join <b>{tenant}</b> as an admin.} other {You are invited to join <b>{tenant}</b>.}}',
              values,
            )}
      </p>
      <p class="quiet">
        {t('The invitation is for {email}. It is good until {date}.', { email, date: formatDate(new Date(expiresAt)) })}
      </p>
      <Problem message={problem?.message} />
      {children}
    </Layout>
  )
}

export interface ViewProps extends Omit<FrameProps, 'children'> {
  action: string
  csrf: string
}

/** A form whose choice is a hidden field, because the enter key submits without a button's value. */
const ChoiceForm = ({ action, csrf, choice, children }: ChoiceFormProps) => (
  <Form action={action} csrf={csrf}>
    <input type="hidden" name="choice" value={choice} />
    {children}
  </Form>
)

interface ChoiceFormProps {
  action: string
  csrf: string
  choice: 'accept' | 'join' | 'switch' | 'confirm'
  children: ComponentChildren
}

export const AcceptPage = (view: ViewProps) => (
  <Frame {...view}>
    <ChoiceForm {...view} choice="accept">
      <button type="submit">{t('Accept')}</button>
    </ChoiceForm>
  </Frame>
)

export const SignInPage = ({ signInUrl, ...view }: ViewProps & { signInUrl: string }) => (
  <Frame {...view}>
    <p>{t('There is an account with this address already.')}</p>
    <a class="button" href={signInUrl}>
      {t('Sign in to accept')}
    </a>
  </Frame>
)

export const WrongAccountPage = ({ sessionEmail, ...view }: ViewProps & { sessionEmail: string }) => (
  <Frame {...view}>
    <p>
      {rich('You are signed in with another address: <b>{email}</b>.', {
        email: sessionEmail,
        b: (text) => <strong>{text}</strong>,
      })}
    </p>
    <ChoiceForm {...view} choice="switch">
      <button type="submit">{t('Use another account')}</button>
    </ChoiceForm>
    <p class="links">
      <a href="/account">{t('Go to your account')}</a>
    </p>
  </Frame>
)

export const UnverifiedPage = ({ mailed, seconds, ...view }: ViewProps & { mailed: boolean; seconds: number }) => (
  <Frame {...view}>
    <p role="status" data-waiting={view.action}>
      {mailed
        ? t('A mail with a link is on its way. Follow it, and you come back to this invitation.')
        : t(
            'This address is not confirmed yet: follow the link in the mail we sent you, and you come back to this invitation.',
          )}
    </p>
    <ChoiceForm {...view} choice="confirm">
      <ResendButton seconds={seconds} />
    </ChoiceForm>
    <p class="links">
      <a href={view.action}>{t('I have followed the link')}</a>
    </p>
    <script type="module" src={waitingScript.path} />
  </Frame>
)

interface NewUserProps extends ViewProps {
  form: Fields
  providers: { label: string; path: string }[]
}

export const NewUserPage = ({ form, providers, ...view }: NewUserProps) => {
  const { email, tenant } = view.invitation
  const wrongFields = listWrongFields(view.problem)
  return (
    <Frame {...view}>
      <ChoiceForm {...view} choice="join">
        <NameFields givenName={form.get('givenName')} familyName={form.get('familyName')} wrongFields={wrongFields} />
        <p class="field">
          <label for="email">{t('Email address')}</label>
          {/* Read-only: shown to the person and stored by password managers. */}
          <input id="email" name="email" type="email" autocomplete="username" class="quiet" value={email} readonly />
        </p>
        <Field
          label={t('Password')}
          name="password"
          type="password"
          autocomplete="new-password"
          hint={t('At least 8 characters. A few words that only you would put together are best.')}
          describedBy={wrongFields.includes('password') ? 'problem' : undefined}
        />
        <button type="submit">{t('Join {tenant}', { tenant: tenant.name })}</button>
      </ChoiceForm>
      {providers.length > 0 && <p class="or">{t('or')}</p>}
      {providers.map(({ label, path }) => (
        <a key={path} class="button second" href={path}>
          {t('Continue with {provider}', { provider: label })}
        </a>
      ))}
    </Frame>
  )
}

export const JoinedPage = ({ tenantName, email }: { tenantName: string; email: string }) => (
  <Layout title={t('Welcome to {tenant}', { tenant: tenantName })}>
    <h1>{t('You are now a member of {tenant}', { tenant: tenantName })}</h1>
    <p role="status">{rich('You are signed in as <b>{email}</b>.', { email, b: (text) => <strong>{text}</strong> })}</p>
    <a class="button" href="/account">
      {t('Go to your account')}
    </a>
  </Layout>
)
