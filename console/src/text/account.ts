export const account = {
  profile: { title: 'Profile', lead: 'What applications and your colleagues see of you.' },
}
