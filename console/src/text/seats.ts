import { pluralize } from './pluralize.ts'

export const countSeats = (count: number): string => pluralize(count, 'seat', 'seats')

export const usedOf = (assigned: number, purchased: number): string =>
  `${assigned.toLocaleString()} of ${countSeats(purchased)} in use`

export const seatBar = {
  label: (type: string) => `Seats of ${type}`,
  used: usedOf,
  left: (count: number) => `${count.toLocaleString()} left`,
  reserved: (count: number) => `${count.toLocaleString()} reserved for invitations`,
  full: 'All seats are taken',
  over: (count: number) => `${countSeats(count)} more in use than were bought`,
  dormant: (count: number) => `${countSeats(count)}, not usable`,
}

export const subscriptionStatus = {
  ACTIVE: 'Active',
  TRIALING: 'Trial',
  PAST_DUE: 'Past due',
  CANCELED: 'Canceled',
  EXPIRED: 'Expired',
}
