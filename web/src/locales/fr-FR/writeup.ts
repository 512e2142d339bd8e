/** A team's writeup: its state and the upload. */
export default {
  writeup: {
    title: 'Writeup',
    text: 'Décrivez en un seul PDF comment votre équipe a résolu les défis. Tout membre peut le remettre ; un nouveau fichier remplace l’ancien.',
    instructions: 'Consignes des organisateurs',
    submitted: 'Remis',
    missing: 'Pas encore remis',
    file: 'Fichier',
    deadline: 'Date limite',
    left: 'restant',
    deadlineUnknown: 'Fixée par les organisateurs. Les fichiers en retard sont refusés.',
    over: 'La date limite de remise est passée',
    overMissing: 'Aucun writeup n’a été remis. Demandez aux organisateurs s’il en faut encore un.',
    drop: 'Déposez un PDF ici ou choisissez-en un',
    replace: 'Déposez ici un nouveau PDF pour le remplacer, ou choisissez-en un',
    hint: 'Un PDF de moins de 20 Mo',
    unfit: 'Impossible de charger le fichier. Vérifiez son format et sa taille',
    sending: 'Envoi de {{name}}',
    cancel: 'Annuler',
    done: 'Writeup remis',
    failed: 'Impossible de charger l’état de votre writeup',
  },
} as const
