/** Joining a game and leaving it. */
export default {
  join: {
    title: 'Join {{game}}',
    again: 'Sign up again for {{game}}',
    text: 'Once your team is accepted, it is locked: nobody can be removed from it until the game ends.',
    team: 'Team',
    teamPlaceholder: 'Choose a team',
    teamHint: 'Up to {{count}} of its members may join.',
    teamMissing: 'Please select the team to participate with',
    teamName: 'Name of your team',
    teamNameHint: 'You become its captain and can invite others later.',
    division: 'Division',
    divisionPlaceholder: 'Choose a division',
    divisionMissing: 'Please select the division',
    codeOfGame: 'Invitation code of the game',
    codeOfDivision: 'Invitation code for {{division}}',
    codeHint: 'The organizers give it to you.',
    codeMissing: 'Invitation code cannot be empty',
    submit: 'Join game',
    done: 'You have joined',
  },
  leave: {
    title: 'Withdraw from {{game}}?',
    text: 'You can join again later. If you are the last one from your team here, the team’s request is withdrawn too.',
    confirm: 'Withdraw',
    done: 'You have withdrawn from {{game}}',
  },
} as const
