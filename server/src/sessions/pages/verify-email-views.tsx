import { Field, Form, Problem } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { waitingScript } from '../../ui/scripts.ts'

interface ConfirmProps {
  action: string
  token: string
  csrf: string
  email: string
  /** The address replaces another one. */
  isChange: boolean
  /** The person has signed up in this browser, or is signed in here. */
  isOwn: boolean
  /** The script confirms without a click. */
  continues: boolean
  /** The link requires a password. */
  problem: string | undefined
}

export const ConfirmPage = ({ action, token, csrf, email, isChange, isOwn, continues, problem }: ConfirmProps) => (
  <Layout title="Confirm your address">
    <h1>Confirm your address</h1>
    {problem === undefined ? (
      <p>
        Press the button to confirm that <strong>{email}</strong> is yours
        {isChange && ', and to use it for your account from now on'}.
      </p>
    ) : (
      <Problem message={problem} />
    )}
    <Form action={action} csrf={csrf} continues={continues}>
      <input type="hidden" name="token" value={token} />
      {problem !== undefined && (
        <Field label="Password" name="password" type="password" autocomplete="current-password" describedBy="problem" />
      )}
      <button type="submit">Confirm</button>
    </Form>
    {!isOwn && (
      <Form action={action} csrf={csrf}>
        <input type="hidden" name="token" value={token} />
        <input type="hidden" name="choice" value="reject" />
        <p class="quiet">
          {isChange
            ? 'You did not ask for this? Then another person wants to use your address for their account.'
            : 'You have not signed up? Then another person has entered your address.'}
        </p>
        <button type="submit" class="second">
          It was not me
        </button>
      </Form>
    )}
    {continues && <script type="module" src={waitingScript.path} />}
  </Layout>
)

interface VerifiedProps {
  email: string
  isSignedIn: boolean
  /** Another browser waits for this. */
  isWaiting: boolean
}

export const VerifiedPage = ({ email, isSignedIn, isWaiting }: VerifiedProps) => (
  <Layout title="Address confirmed">
    <h1>Thank you</h1>
    <p role="status">
      Your address <strong>{email}</strong> is confirmed.
    </p>
    {isWaiting && !isSignedIn ? (
      <>
        <p>
          Now go back to the browser in which you have signed up. The page there continues by itself, or with its
          button. You can close this one.
        </p>
        <p class="links">
          <a href="/login">Sign in here instead</a>
        </p>
      </>
    ) : (
      <a class="button" href={isSignedIn ? '/account' : '/login'}>
        {isSignedIn ? 'Go to your account' : 'Sign in'}
      </a>
    )}
  </Layout>
)

export const RejectedPage = () => (
  <Layout title="Link removed">
    <h1>Thank you</h1>
    <p role="status">The link in the mail does not work any more, and your address was not confirmed.</p>
    <p>There is nothing else that you need to do.</p>
  </Layout>
)

interface DeadLinkProps {
  /** The address of the person who is signed in here is confirmed. */
  isVerified: boolean
  /** Where the person continues; undefined: at the sign-in. */
  next: string | undefined
}

export const DeadLinkPage = ({ isVerified, next }: DeadLinkProps) => (
  <Layout title="This link does not work any more">
    <h1>{isVerified ? 'Your address is confirmed' : 'This link does not work any more'}</h1>
    {isVerified ? (
      <p role="status">The link was used already. You are signed in.</p>
    ) : (
      <p role="status">
        It was used already, is too old, or there is a newer mail. If you have confirmed your address, just{' '}
        {next === undefined ? 'sign in' : 'continue'}. If not, you can ask for another mail there.
      </p>
    )}
    <a class="button" href={next ?? '/login'}>
      {next === undefined ? 'Sign in' : 'Continue'}
    </a>
  </Layout>
)
