// Asks a Prometheus as KEDA does: reads a ScaledObject from standard input, makes KEDA's own scaler of its first trigger, and
// prints what an autoscaler gets of it: the metric, its target for each pod, and whether the trigger is active.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	"github.com/kedacore/keda/v2/pkg/scalers"
	"github.com/kedacore/keda/v2/pkg/scalers/scalersconfig"
)

// Time for an answer of Prometheus, KEDA's own default.
const timeout = 3 * time.Second

type reading struct {
	Value  float64 `json:"value"`
	Target float64 `json:"target"`
	Active bool    `json:"active"`
}

func main() {
	read, err := readMetric(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(read); err != nil {
		panic(err)
	}
}

func readMetric(ctx context.Context) (*reading, error) {
	var object v1alpha1.ScaledObject
	if err := json.NewDecoder(os.Stdin).Decode(&object); err != nil {
		return nil, err
	}
	trigger := object.Spec.Triggers[0]
	scaler, err := scalers.NewPrometheusScaler(&scalersconfig.ScalerConfig{
		ScalableObjectName:      object.Name,
		ScalableObjectNamespace: object.Namespace,
		ScalableObjectType:      "ScaledObject",
		GlobalHTTPTimeout:       timeout,
		TriggerType:             trigger.Type,
		TriggerMetadata:         trigger.Metadata,
		MetricType:              trigger.MetricType,
		ScaledObject:            &object,
	})
	if err != nil {
		return nil, err
	}
	defer func() { _ = scaler.Close(ctx) }()
	external := scaler.GetMetricSpecForScaling(ctx)[0].External
	values, active, err := scaler.GetMetricsAndActivity(ctx, external.Metric.Name)
	if err != nil {
		return nil, err
	}
	target := external.Target.AverageValue.AsApproximateFloat64()
	return &reading{Value: values[0].Value.AsApproximateFloat64(), Target: target, Active: active}, nil
}
