import { t } from './translate.ts'

export const countSeats = (count: number): string => t('{count, plural, one {# seat} other {# seats}}', { count })

export const usedOf = (assigned: number, purchased: number): string =>
  t('{assigned, number} of {purchased, plural, one {# seat} other {# seats}} in use', { assigned, purchased })

export const seatBar = {
  label: (type: string) => t('Seats of {type}', { type }),
  used: usedOf,
  left: (count: number) => t('{count, number} left', { count }),
  reserved: (count: number) => t('{count, number} reserved for invitations', { count }),
  full: t('All seats are taken'),
  over: (count: number) => t('{count, plural, one {# seat} other {# seats}} more in use than were bought', { count }),
  dormant: (count: number) => t('{count, plural, one {# seat} other {# seats}}, not usable', { count }),
}

export const subscriptionStatus = {
  ACTIVE: t('Active'),
  TRIALING: t('Trial'),
  PAST_DUE: t('Past due'),
  CANCELED: t('Canceled'),
  EXPIRED: t('Expired'),
}
