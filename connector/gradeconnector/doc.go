// Package gradeconnector turns the findings that a grade processor wrote on
// spans into signals that every telemetry backend takes: log records with the
// event name gen_ai.evaluation.result, and counters. It changes no span.
package gradeconnector
