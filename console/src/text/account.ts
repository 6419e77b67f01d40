import type { ReactNode } from 'react'
import { rich } from '../ui/rich-text.ts'
import { t } from './translate.ts'

/** Texts of the account pages. */
export const account = {
  password: t('Password'),
  showPassword: t('Show the password'),
  hidePassword: t('Hide the password'),
  withoutScript: (link: ReactNode) => rich('This page also works without JavaScript, at {link}', { link }),
  signInAgain: t('Sign in again'),
  confirmAddressFirst: {
    title: t('Confirm your email address first'),
    text: t('Until then, nothing can be added here. The link is in your mailbox, or you can request another.'),
    action: t('Go to my profile'),
  },
  profile: {
    title: t('Profile'),
    lead: t('What applications and your colleagues see of you.'),
    name: { title: t('Name'), lead: t('How you are addressed.') },
    givenName: t('Given name'),
    middleName: t('Middle name'),
    familyName: t('Family name'),
    displayName: t('Display name'),
    displayNameHint: t('What others see. Leave it empty to use your given and family name.'),
    nickname: t('Nickname'),
    person: {
      title: t('About you'),
      lead: t('These are optional. Applications can read them only if you allow it.'),
    },
    gender: t('Gender'),
    birthdate: t('Date of birth'),
    about: { title: t('On the web'), lead: t('Applications you sign in to may show these.') },
    website: t('Website'),
    websiteHint: t('Starts with http:// or https://'),
    picture: t('Picture'),
    pictureHint: t('The address of a picture on the web. The console itself shows your initials.'),
    region: { title: t('Language and time'), lead: t('Applications use these to greet you and to show times.') },
    language: t('Language'),
    zone: t('Time zone'),
    zoneNow: (time: string) => t('It is {time} there now.', { time }),
    nothingFound: t('Nothing was found'),
    unchanged: t('Everything is saved.'),
    changed: t('You have changes that are not saved.'),
    discard: t('Discard'),
    save: t('Save changes'),
    saved: t('Your profile was saved.'),
    managed: {
      title: t('Managed by your administrator'),
      lead: t('Only an administrator can change these.'),
      username: t('User name'),
      phone: t('Phone'),
    },
  },
  address: {
    title: t('Email address'),
    lead: t('You sign in with it, and we send emails to it when something about your account changes.'),
    verified: t('Confirmed'),
    unverified: t('Not confirmed'),
    unverifiedText: t(
      'Follow the link that we sent to this address. Until then, some functions are not available to you.',
    ),
    resend: t('Send the link again'),
    resent: (email: string) => t('We have sent a new link to {email}.', { email }),
    change: t('Change address'),
    newEmail: t('New email address'),
    explain: t('We send a link to the new address. Your address changes once you follow it.'),
    send: t('Send the link'),
    sent: {
      title: t('Check your new mailbox'),
      text: (email: string) =>
        t('We have sent a link to {email}. Follow it within a day. Until then, your address does not change.', {
          email,
        }),
    },
  },
}
