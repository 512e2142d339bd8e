/** Joining a game and leaving it. */
export default {
  join: {
    title: 'An {{game}} teilnehmen',
    again: 'Erneut an {{game}} teilnehmen',
    text: 'Sobald dein Team angenommen ist, ist es gesperrt: Bis zum Ende des Spiels kann niemand daraus entfernt werden.',
    team: 'Team',
    teamPlaceholder: 'Team wählen',
    teamHint: 'Bis zu {{count}} Mitglieder dürfen teilnehmen.',
    teamMissing: 'Bitte wähle das Team aus, mit dem du teilnimmst',
    teamName: 'Name deines Teams',
    teamNameHint: 'Du wirst Kapitän und kannst später andere einladen.',
    division: 'Division',
    divisionPlaceholder: 'Division wählen',
    divisionMissing: 'Bitte wähle die Division aus',
    codeOfGame: 'Einladungscode des Spiels',
    codeOfDivision: 'Einladungscode für {{division}}',
    codeHint: 'Du bekommst ihn von den Veranstaltern.',
    codeMissing: 'Der Einladungscode darf nicht leer sein',
    submit: 'Am Spiel teilnehmen',
    done: 'Du nimmst jetzt teil',
  },
  leave: {
    title: 'Von {{game}} zurückziehen?',
    text: 'Du kannst später wieder teilnehmen. Bist du hier das letzte Mitglied deines Teams, wird auch die Anfrage des Teams zurückgezogen.',
    confirm: 'Zurückziehen',
    done: 'Du hast deine Teilnahme an {{game}} zurückgezogen',
  },
} as const
