/** Joining a game and leaving it. */
export default {
  join: {
    title: 'Participer à {{game}}',
    again: 'S’inscrire de nouveau à {{game}}',
    text: 'Une fois acceptée, votre équipe est verrouillée : personne ne peut en être retiré avant la fin de la compétition.',
    team: 'Équipe',
    teamPlaceholder: 'Choisir une équipe',
    teamHint: '{{count}} de ses membres au plus peuvent participer.',
    teamMissing: 'Veuillez choisir l’équipe avec laquelle participer',
    teamName: 'Nom de votre équipe',
    teamNameHint: 'Vous en devenez capitaine et pourrez inviter d’autres joueurs plus tard.',
    division: 'Division',
    divisionPlaceholder: 'Choisir une division',
    divisionMissing: 'Veuillez choisir la division',
    codeOfGame: 'Code d’invitation de la compétition',
    codeOfDivision: 'Code d’invitation pour {{division}}',
    codeHint: 'Les organisateurs vous le donnent.',
    codeMissing: 'Le code d’invitation ne peut pas être vide',
    submit: 'Participer',
    done: 'Vous participez',
  },
  leave: {
    title: 'Se retirer de {{game}} ?',
    text: 'Vous pourrez vous inscrire de nouveau plus tard. Si vous êtes le dernier de votre équipe ici, la demande de l’équipe est retirée aussi.',
    confirm: 'Se retirer',
    done: 'Vous avez quitté {{game}}',
  },
} as const
