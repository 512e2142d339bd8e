/** Joining a game and leaving it. */
export default {
  join: {
    title: 'Participar en {{game}}',
    again: 'Volver a inscribirse en {{game}}',
    text: 'Una vez aceptado, tu equipo queda bloqueado: nadie puede ser expulsado de él hasta que termine la competición.',
    team: 'Equipo',
    teamPlaceholder: 'Elige un equipo',
    teamHint: 'Pueden participar hasta {{count}} de sus miembros.',
    teamMissing: 'Selecciona el equipo con el que participas',
    teamName: 'Nombre de tu equipo',
    teamNameHint: 'Serás su capitán y podrás invitar a otros más tarde.',
    division: 'División',
    divisionPlaceholder: 'Elige una división',
    divisionMissing: 'Selecciona la división',
    codeOfGame: 'Código de invitación de la competición',
    codeOfDivision: 'Código de invitación para {{division}}',
    codeHint: 'Te lo da la organización.',
    codeMissing: 'El código de invitación no puede estar vacío',
    submit: 'Participar',
    done: 'Ya participas',
  },
  leave: {
    title: '¿Retirarse de {{game}}?',
    text: 'Puedes volver a inscribirte más tarde. Si eres la última persona de tu equipo aquí, también se retira la solicitud del equipo.',
    confirm: 'Retirarse',
    done: 'Te has retirado de {{game}}',
  },
} as const
