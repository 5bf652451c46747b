"""Fine-tuning of document encoders: settings of each recipe, losses, batches, checkpoints, the loop."""
